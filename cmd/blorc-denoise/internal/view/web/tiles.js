// The tiles of the picture: fetched when they are seen, blended when settings change.
import { tile as fetchTile } from './api.js';
import { blend, difference } from './blend.js';

const AT_A_TIME = 5;

export class Tiles {
  // changed is called when a tile looks different.
  constructor(changed) {
    this.changed = changed;
    this.side = 256;
    this.run = 0;
    this.colour = true;
    this.settings = { strength: 1, luma: 1, chroma: 1, grain: 0 };
    this.gain = 4;
    this.look = 1; // counts changes of settings and gain
    this.all = new Map();
    this.wanted = [];
    this.fetching = 0;
  }

  // start is called for each run. Tiles of the same picture stay until there are new ones.
  start(run, same, colour) {
    this.run = run;
    this.colour = colour;
    if (!same) this.all.clear();
    for (const t of this.all.values()) t.stale = true;
  }

  set(settings, gain) {
    this.settings = settings;
    this.gain = gain;
    this.look++;
    this.changed();
  }

  // update marks tiles that have changed: those of level 0 from x0, y0 to before x1, y1.
  update(e) {
    for (const t of this.all.values()) {
      const d = 1 << t.level;
      if (t.x * d < e.x1 && (t.x + 1) * d > e.x0 && t.y * d < e.y1 && (t.y + 1) * d > e.y0) t.stale = true;
    }
    this.changed();
  }

  // get returns the canvas of a tile, or null. kind is before, after or difference.
  get(kind, level, x, y) {
    const t = this.all.get(`${level}/${x}/${y}`);
    if (!t?.before) return null;
    t.used = performance.now();
    if (!t.after && kind === 'after') kind = 'before';
    if (!t.after && kind === 'difference') return null;
    if (kind === 'before') return (t.beforeCanvas ??= this.paint(null, t.before));
    if (t.blendLook !== this.look) {
      t.blended ??= new Uint8ClampedArray(t.before.length);
      blend(t.blended, t.before, t.after, this.settings, this.colour);
      t.blendLook = this.look;
    }
    if (kind === 'after') {
      if (t.afterLook !== this.look) t.afterCanvas = this.paint(t.afterCanvas, t.blended);
      t.afterLook = this.look;
      return t.afterCanvas;
    }
    if (t.differenceLook !== this.look) {
      const d = new Uint8ClampedArray(t.before.length);
      difference(d, t.before, t.blended, this.gain);
      t.differenceCanvas = this.paint(t.differenceCanvas, d);
      t.differenceLook = this.look;
    }
    return t.differenceCanvas;
  }

  paint(canvas, bytes) {
    if (!canvas) {
      canvas = document.createElement('canvas');
      canvas.width = canvas.height = this.side;
    }
    canvas.getContext('2d').putImageData(new ImageData(bytes, this.side, this.side), 0, 0);
    return canvas;
  }

  // want says which tiles are seen, the most important first, and fetches what is missing.
  want(places) {
    this.wanted = places.map(([level, x, y]) => {
      const key = `${level}/${x}/${y}`;
      let t = this.all.get(key);
      if (!t) this.all.set(key, t = { level, x, y, stale: true, used: performance.now() });
      return t;
    });
    this.forget();
    this.fetchNext();
  }

  // forget drops tiles that were not seen for a while.
  forget() {
    const most = 2 * this.wanted.length + 60;
    if (this.all.size <= most) return;
    const seen = new Set(this.wanted);
    const old = [...this.all.entries()].filter(([, t]) => !seen.has(t)).sort((a, b) => a[1].used - b[1].used);
    for (const [key] of old.slice(0, this.all.size - most)) this.all.delete(key);
  }

  fetchNext() {
    while (this.fetching < AT_A_TIME) {
      const t = this.wanted.find((t) => !t.busy && (!t.before || t.stale));
      if (!t || !this.run) return;
      this.fetch(t);
    }
  }

  async fetch(t) {
    const run = this.run;
    const side = t.before ? 'after' : 'before';
    t.busy = true;
    this.fetching++;
    if (side === 'after') t.stale = false;
    let bytes;
    try {
      bytes = await fetchTile(run, side, t.level, t.x, t.y);
    } catch { /* the server has gone, which listen() reports */ }
    t.busy = false;
    this.fetching--;
    if (bytes && run === this.run) {
      t[side] = bytes;
      t.blendLook = t.afterLook = t.differenceLook = 0;
      if (side === 'before') t.beforeCanvas = null;
      this.changed();
    } else if (bytes === undefined && run === this.run) {
      this.pause();
      t.stale = true;
      return;
    }
    this.fetchNext();
  }

  // pause waits before the next request after one that failed.
  pause() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fetchNext(), 500);
  }
}
