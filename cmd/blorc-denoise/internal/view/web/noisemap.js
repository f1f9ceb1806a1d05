// The noise map: how much noise there is in each place, as colours over the picture.
import { post } from './api.js';

const $ = (id) => document.getElementById(id);
const NAMES = { luma: 'brightness' }; // what people call the parts

export class NoiseMap {
  // runOf returns the number of the run that is shown.
  constructor(stage, runOf) {
    this.stage = stage;
    this.runOf = runOf;
    this.event = null; // the map, once it is there
    this.ready = false; // the noise of the run is known
    stage.over = (c, sx, sy) => this.paint(c, sx, sy);
    $('noiseMap').addEventListener('change', () => this.change());
    $('mapPart').addEventListener('change', () => stage.draw());
  }

  get on() { return $('noiseMap').checked; }

  toggle() {
    $('noiseMap').checked = !this.on;
    this.change();
  }

  // forget is called for each run: its noise may be another one.
  forget() {
    this.event = null;
    this.ready = false;
    this.change();
  }

  // known is called when the noise of the run is known.
  known() {
    this.ready = true;
    this.change();
  }

  change() {
    $('mapBox').hidden = !this.on;
    if (this.on && this.ready && !this.event) post('map', { run: this.runOf() }).catch(() => {}); // a run that has ended is followed by another
    this.describe();
    this.stage.draw();
  }

  show(e) {
    this.event = e;
    $('mapPart').replaceChildren(...e.parts.map((p, i) => new Option(NAMES[p.name] ?? p.name, i)));
    $('mapScale').querySelector('i').style.background = `linear-gradient(to right, ${e.hues.join(', ')})`;
    $('mapEnd').textContent = `${e.end} levels of the file`;
    this.change();
  }

  describe() {
    const e = this.event;
    $('mapScale').hidden = !e?.parts.length;
    $('mapPartBox').hidden = !(e?.parts.length > 1);
    $('mapText').textContent = !e ? 'Measuring where the noise is …'
      : e.why ? e.why : !e.parts.length ? 'Nothing here is denoised.'
        : 'Each square has the colour of its noise, as a standard deviation. Striped squares carry no picture.';
  }

  // paint lays the squares over the picture.
  paint(c, sx, sy) {
    const e = this.event;
    const part = e?.parts[$('mapPart').selectedIndex];
    if (!this.on || !part) return;
    const at = (origin, i, count, length) => origin + (i < count ? i * e.side : length);
    c.save();
    for (let y = 0; y < e.rows; y++) {
      const top = sy(at(e.y, y, e.rows, e.height)), height = sy(at(e.y, y + 1, e.rows, e.height)) - top;
      for (let x = 0; x < e.columns; x++) {
        const left = sx(at(e.x, x, e.columns, e.width)), width = sx(at(e.x, x + 1, e.columns, e.width)) - left;
        const hue = part.cells[y * e.columns + x];
        c.globalAlpha = 0.65;
        c.fillStyle = hue < 0 ? this.stripes(c) : e.hues[hue];
        c.fillRect(left, top, width, height);
      }
    }
    c.restore();
  }

  // stripes returns the pattern of squares without a picture.
  stripes(c) {
    if (!this.pattern) {
      const p = document.createElement('canvas');
      p.width = p.height = 8;
      const d = p.getContext('2d');
      d.fillStyle = '#888';
      d.fillRect(0, 0, 8, 8);
      d.strokeStyle = '#eee';
      d.lineWidth = 3;
      for (const o of [-8, 0, 8]) {
        d.beginPath();
        d.moveTo(o, 8);
        d.lineTo(o + 8, 0);
        d.stroke();
      }
      this.pattern = c.createPattern(p, 'repeat');
    }
    return this.pattern;
  }
}
