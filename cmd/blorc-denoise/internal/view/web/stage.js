// The picture on the canvas: zoom, pan, slider and the ways to compare.

const LEAST_ZOOM = 1 / 64, MOST_ZOOM = 16;
const $ = (id) => document.getElementById(id);

export class Stage {
  // looked is called with the visible area of the picture when it changes.
  constructor(tiles, looked) {
    this.tiles = tiles;
    this.looked = looked;
    this.canvas = $('canvas');
    this.context = this.canvas.getContext('2d');
    this.overview = $('overview');
    this.width = this.height = 0; // of the picture
    this.zoom = 1; // pixels of the screen for each of the picture
    this.x = this.y = 0; // the point of the picture in the middle
    this.mode = 'split';
    this.peek = false; // show the picture before for a moment
    this.split = 0.5;
    this.fitted = false;
    this.over = null; // paints over the picture, given where its columns and rows are on the screen
    this.doing = ''; // what happens while what is seen is still noisy
    new ResizeObserver(() => this.resize()).observe($('stage'));
    this.resize();
    this.listenPointer();
    this.listenHandle();
    this.listenOverview();
  }

  // open shows a picture, at 100 % from its middle unless it has the size of the last one.
  open(width, height) {
    if (width !== this.width || height !== this.height) {
      this.width = width;
      this.height = height;
      this.x = width / 2;
      this.y = height / 2;
      this.zoom = this.fitted ? this.fitZoom() : 1;
    }
    this.move();
  }

  resize() {
    const box = $('stage').getBoundingClientRect();
    this.ratio = devicePixelRatio || 1;
    const w = Math.max(1, Math.round(box.width * this.ratio)), h = Math.max(1, Math.round(box.height * this.ratio));
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    if (this.fitted) this.zoom = this.fitZoom();
    this.move();
  }

  // paneWidth is the width in which one picture is shown.
  get paneWidth() { return this.mode === 'side' && !this.peek ? this.canvas.width / 2 : this.canvas.width; }

  fitZoom() {
    return Math.min(1, this.paneWidth / Math.max(1, this.width), this.canvas.height / Math.max(1, this.height));
  }

  setMode(mode) {
    this.mode = mode;
    if (this.fitted) this.zoom = this.fitZoom();
    this.move();
  }

  fit() {
    this.fitted = true;
    this.zoom = this.fitZoom();
    this.x = this.width / 2;
    this.y = this.height / 2;
    this.move();
  }

  // zoomTo zooms about a point of the screen, by default the middle.
  zoomTo(zoom, px = this.paneWidth / 2, py = this.canvas.height / 2) {
    const [ix, iy] = this.toPicture(px, py);
    this.fitted = false;
    this.zoom = Math.min(MOST_ZOOM, Math.max(Math.min(LEAST_ZOOM, this.fitZoom()), zoom));
    this.x = ix - (px - this.paneWidth / 2) / this.zoom;
    this.y = iy - (py - this.canvas.height / 2) / this.zoom;
    this.move();
  }

  // step zooms to the next round step.
  step(direction) {
    const steps = [1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 1, 1.5, 2, 3, 4, 6, 8, 12, 16];
    const next = direction > 0 ? steps.find((z) => z > this.zoom * 1.01) : steps.findLast((z) => z < this.zoom * 0.99);
    if (next) this.zoomTo(next);
  }

  pan(dx, dy) {
    this.x += dx / this.zoom;
    this.y += dy / this.zoom;
    this.move();
  }

  toPicture(px, py) {
    return [this.x + (px - this.paneWidth / 2) / this.zoom, this.y + (py - this.canvas.height / 2) / this.zoom];
  }

  // move keeps the picture in sight, and asks for what is visible.
  move() {
    const halfW = this.paneWidth / 2 / this.zoom, halfH = this.canvas.height / 2 / this.zoom;
    const hold = (v, half, size) => size <= 2 * half ? size / 2 : Math.min(size - half, Math.max(half, v));
    this.x = hold(this.x, halfW, this.width);
    this.y = hold(this.y, halfH, this.height);
    if (Math.abs(this.zoom - 1) < 1e-9) { // pixels of the picture on those of the screen
      this.x = Math.round(this.x - this.paneWidth / 2) + this.paneWidth / 2;
      this.y = Math.round(this.y - this.canvas.height / 2) + this.canvas.height / 2;
    }
    $('full').textContent = `${this.zoom >= 0.1 ? Math.round(100 * this.zoom) : (100 * this.zoom).toFixed(1)} %`;
    if (this.width) {
      const [x0, y0] = this.toPicture(0, 0), [x1, y1] = this.toPicture(this.paneWidth, this.canvas.height);
      const left = Math.max(0, Math.floor(x0)), top = Math.max(0, Math.floor(y0));
      this.seen = { X: left, Y: top, W: Math.min(this.width, Math.ceil(x1)) - left, H: Math.min(this.height, Math.ceil(y1)) - top };
      this.looked(this.seen);
    }
    this.draw();
  }

  // setDoing says on the picture what happens, until it shows what its label says.
  setDoing(text) {
    this.doing = text;
    this.draw();
  }

  setSplit(v) {
    this.split = Math.min(1, Math.max(0, v));
    this.draw();
  }

  // draw paints before the next frame.
  draw() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.paint();
    });
  }

  paint() {
    const c = this.context, w = this.canvas.width, h = this.canvas.height;
    const mode = this.peek ? 'before' : this.mode;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, w, h);
    const at = Math.round(this.split * w);
    if (this.width) {
      this.level = Math.min(11, Math.max(0, Math.floor(Math.log2(1 / this.zoom) + 1e-6)));
      this.tiles.want(this.places());
      switch (mode) {
        case 'split':
          this.pane('before', 0, w, 0, at);
          this.pane('after', 0, w, at, w);
          break;
        case 'side':
          this.pane('before', 0, w / 2, 0, w / 2);
          this.pane('after', w / 2, w / 2, w / 2, w);
          c.fillStyle = '#fff';
          c.fillRect(Math.round(w / 2) - 1, 0, 2, h);
          break;
        default:
          this.pane(mode, 0, w, 0, w);
      }
      this.paintOverview();
    }
    const handle = $('handle');
    handle.hidden = mode !== 'split' || !this.width;
    handle.style.left = `${100 * this.split}%`;
    handle.setAttribute('aria-valuenow', Math.round(100 * this.split));
    handle.setAttribute('aria-valuetext', `${Math.round(100 * this.split)} % before`);
    const before = $('labelBefore'), after = $('labelAfter');
    before.hidden = !this.width || mode === 'after' || mode === 'difference' || mode === 'split' && this.split < 0.08;
    after.hidden = !this.width || mode === 'before' || mode === 'split' && this.split > 0.92;
    after.textContent = this.doing || (mode === 'difference' ? 'removed' : 'after');
    after.classList.toggle('doing', this.doing !== '');
  }

  // span returns the tiles of the level that are seen.
  span() {
    const size = this.tiles.side << this.level;
    const x0 = Math.floor(this.seen.X / size), y0 = Math.floor(this.seen.Y / size);
    const x1 = Math.ceil((this.seen.X + this.seen.W) / size), y1 = Math.ceil((this.seen.Y + this.seen.H) / size);
    return { x0, y0, x1, y1, size };
  }

  // places returns the tiles that are seen, from the middle outwards.
  places() {
    const { x0, y0, x1, y1, size } = this.span();
    const all = [];
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1; x++) all.push([this.level, x, y, Math.hypot((x + 0.5) * size - this.x, (y + 0.5) * size - this.y)]);
    }
    return all.sort((a, b) => a[3] - b[3]);
  }

  // pane paints one picture whose view begins at left, between two columns of the screen.
  pane(kind, left, width, from, to) {
    if (to <= from) return;
    const c = this.context, h = this.canvas.height;
    const { x0, y0, x1, y1, size } = this.span();
    const sx = (ix) => Math.round(left + width / 2 + (ix - this.x) * this.zoom);
    const sy = (iy) => Math.round(h / 2 + (iy - this.y) * this.zoom);
    const right = sx(this.width), bottom = sy(this.height);
    c.save();
    c.beginPath();
    c.rect(from, 0, Math.min(to, right) - from, Math.min(h, bottom));
    c.clip();
    c.imageSmoothingEnabled = this.zoom < 1;
    c.imageSmoothingQuality = 'medium';
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1; x++) {
        const px = sx(x * size), py = sy(y * size), pw = sx((x + 1) * size) - px, ph = sy((y + 1) * size) - py;
        if (px > to || px + pw < from) continue;
        const image = this.tiles.get(kind, this.level, x, y);
        if (image) c.drawImage(image, px, py, pw, ph);
        else this.substitute(kind, x, y, px, py, pw, ph);
      }
    }
    this.over?.(c, sx, sy);
    c.restore();
  }

  // substitute shows a tile of a smaller level until there is the right one.
  substitute(kind, x, y, px, py, pw, ph) {
    for (let up = 1; up < 5; up++) {
      const image = this.tiles.get(kind, this.level + up, x >> up, y >> up);
      if (!image) continue;
      const part = this.tiles.side >> up;
      this.context.drawImage(image, (x & (1 << up) - 1) * part, (y & (1 << up) - 1) * part, part, part, px, py, pw, ph);
      return;
    }
    if (kind === 'difference') {
      this.context.fillStyle = '#808080';
      this.context.fillRect(px, py, pw, ph);
    }
  }

  // paintOverview shows where the view is, if it is not the whole picture.
  paintOverview() {
    const o = this.overview;
    const whole = this.seen.W >= this.width && this.seen.H >= this.height;
    o.hidden = whole;
    if (whole) return;
    const most = Math.min(140, this.canvas.width / this.ratio / 4);
    const scale = most / Math.max(this.width, this.height);
    const w = Math.max(8, Math.round(this.width * scale)), h = Math.max(8, Math.round(this.height * scale));
    if (o.width !== w || o.height !== h) {
      o.width = w;
      o.height = h;
    }
    const c = o.getContext('2d');
    c.fillStyle = '#777';
    c.fillRect(0, 0, w, h);
    if (this.thumbnail) c.drawImage(this.thumbnail, 0, 0, w, h);
    c.strokeStyle = '#000';
    c.lineWidth = 3;
    const box = [this.seen.X * scale, this.seen.Y * scale, Math.max(4, this.seen.W * scale), Math.max(4, this.seen.H * scale)];
    c.strokeRect(...box);
    c.strokeStyle = '#fff';
    c.lineWidth = 1.5;
    c.strokeRect(...box);
  }

  listenPointer() {
    const canvas = this.canvas, down = new Map();
    let last = null;
    const place = (e) => [e.offsetX * this.ratio, e.offsetY * this.ratio];
    // middle returns the mean of all fingers and their distance.
    const middle = () => {
      const all = [...down.values()];
      const x = all.reduce((s, p) => s + p[0], 0) / all.length, y = all.reduce((s, p) => s + p[1], 0) / all.length;
      return { x, y, reach: all.length > 1 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 0 };
    };
    // In the right pane, places count from its left edge.
    const inPane = (x) => this.mode === 'side' && !this.peek && x > this.paneWidth ? x - this.paneWidth : x;
    canvas.addEventListener('pointerdown', (e) => {
      if (e.button > 1) return;
      canvas.setPointerCapture(e.pointerId);
      down.set(e.pointerId, place(e));
      last = middle();
      canvas.classList.add('held');
    });
    canvas.addEventListener('pointermove', (e) => {
      if (!down.has(e.pointerId)) return;
      down.set(e.pointerId, place(e));
      const now = middle();
      this.pan(last.x - now.x, last.y - now.y);
      if (now.reach && last.reach) this.zoomTo(this.zoom * now.reach / last.reach, inPane(now.x), now.y);
      last = now;
    });
    const up = (e) => {
      down.delete(e.pointerId);
      last = down.size ? middle() : null;
      if (!down.size) canvas.classList.remove('held');
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      const lines = e.deltaMode === 1 ? 33 : e.deltaMode === 2 ? 400 : 1;
      const [x, y] = place(e);
      this.zoomTo(this.zoom * Math.exp(-Math.max(-300, Math.min(300, e.deltaY * lines)) / (e.ctrlKey ? 100 : 400)), inPane(x), y);
    }, { passive: false });
    canvas.addEventListener('dblclick', (e) => {
      const [x, y] = place(e);
      if (this.zoom >= 1) this.fit();
      else this.zoomTo(1, inPane(x), y);
    });
  }

  listenHandle() {
    const handle = $('handle');
    const move = (e) => {
      const box = $('stage').getBoundingClientRect();
      this.setSplit((e.clientX - box.left) / box.width);
    };
    handle.addEventListener('pointerdown', (e) => {
      handle.setPointerCapture(e.pointerId);
      handle.focus({ preventScroll: true });
      e.preventDefault();
    });
    handle.addEventListener('pointermove', (e) => { if (handle.hasPointerCapture(e.pointerId)) move(e); });
    handle.addEventListener('keydown', (e) => {
      const by = { ArrowLeft: -0.02, ArrowDown: -0.02, ArrowRight: 0.02, ArrowUp: 0.02, PageDown: -0.1, PageUp: 0.1, Home: -1, End: 1 }[e.key];
      if (!by) return;
      e.preventDefault();
      e.stopPropagation();
      this.setSplit(this.split + by);
    });
  }

  listenOverview() {
    const o = this.overview;
    const go = (e) => {
      this.x = e.offsetX / o.clientWidth * this.width;
      this.y = e.offsetY / o.clientHeight * this.height;
      this.move();
    };
    o.addEventListener('pointerdown', (e) => {
      o.setPointerCapture(e.pointerId);
      go(e);
    });
    o.addEventListener('pointermove', (e) => { if (o.hasPointerCapture(e.pointerId)) go(e); });
  }
}
