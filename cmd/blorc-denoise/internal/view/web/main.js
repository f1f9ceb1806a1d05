// The page: settings, files, saving and keys.
import { listen, post, tile } from './api.js';
import { Door, Keeper } from './door.js';
import { Stage } from './stage.js';
import { NoiseMap } from './noisemap.js';
import { Tiles } from './tiles.js';

const $ = (id) => document.getElementById(id);
const radios = (name) => [...document.querySelectorAll(`input[name=${name}]`)];
const SLIDERS = ['strength', 'luma', 'chroma', 'grain'];
const RUN_KEYS = ['noise', 'sigma', 'gain', 'offset', 'read_noise', 'quality'];

let files = []; // name, out, settings, page, and how far saving is
let current = 0;
let run = 0; // number of the run whose tiles are shown
let asked = 0; // counts requests for runs, so that only the last one counts
let defaults = null;
let noise = null; // the last event about noise
let ended = false;
const held = new Map(); // events of runs whose number is not known yet

const tiles = new Tiles(() => stage.draw());
const stage = new Stage(tiles, look);
const noiseMap = new NoiseMap(stage, () => run);
const file = () => files[current];
const door = new Door();
const keeper = new Keeper(() => keeper.show(file()));

function after(ms, work) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), ms);
  };
}

function look(seen) {
  if (run && !ended) sendLook(seen);
}
const sendLook = after(40, (seen) => post('look', seen).catch(() => {}));

// --- events ---

// ofRun makes a handler that sees events of the current run only.
const ofRun = (handler) => (e) => {
  if (e.run === run) handler(e);
  else if (e.run > run) held.set(e.run, [...(held.get(e.run) ?? []), [handler, e]]);
};

listen({
  hello(e) {
    door.open(e);
    if (files.length) { // connected again
      addFiles(e.files.slice(files.length));
      startRun();
      return;
    }
    defaults = e.settings;
    tiles.side = e.tile_side;
    $('replace').checked = e.replace;
    addFiles(e.files);
    if (files.length) showFile(0);
  },
  files(e) {
    const known = files.length;
    addFiles(e.files.slice(Math.max(0, known - e.from)));
    document.body.classList.remove('empty');
    if (!known) showFile(0);
    else showPlace();
  },
  picture: ofRun((e) => {
    tiles.start(e.run, e.same, e.colour);
    noiseMap.forget();
    stage.open(e.width, e.height);
    post('look', stage.seen).catch(() => {});
    $('about').textContent = e.about;
    $('chromaBox').hidden = !e.colour;
    $('pagebox').hidden = e.pages < 2;
    $('pages').textContent = `(of ${e.pages})`;
    $('page').max = e.pages;
    $('page').value = e.page + 1;
    message('');
    if (!e.same) thumbnail(e);
    $('status').textContent = 'Measuring the noise …';
    if (!e.same) stage.setDoing('measuring the noise');
  }),
  noise: ofRun((e) => {
    noise = e;
    noiseMap.known(e);
    const none = e.why ? `${sentence(e.why)};` : e.found ? 'No noise found:' : 'No noise:';
    $('status').textContent = e.unchanged ? `${none} the picture stays as it is` : `${sentence(e.text)}, ${e.told ? 'as the file tells' : e.found ? 'found' : 'given'}`;
    $('sigma').placeholder = e.found && e.sigma > 0 ? e.sigma.toFixed(1) : 'found';
    const found = e.found && e.noise === 'poisson';
    $('photonGain').placeholder = found ? short(e.photons.gain) : 'found';
    $('offset').placeholder = found ? short(e.photons.offset) : '0';
    $('readNoise').placeholder = found ? short(e.photons.read_noise) : '0';
  }),
  tiles: ofRun((e) => tiles.update(e)),
  progress: ofRun(showProgress),
  curve: ofRun((e) => {
    $('curve').innerHTML = e.svg;
    const p = document.createElement('p');
    p.className = 'small';
    p.textContent = noise?.noise === 'camera'
      ? 'Dots: the fine part of the noise. Line: the level that the models use, which includes coarse noise.'
      : 'Dots: measured, filled where the picture is flat. Line: the level that the models use.';
    $('curve').append(p);
  }),
  map: ofRun((e) => noiseMap.show(e)),
  histogram: ofRun((e) => { $('histogram').innerHTML = e.svg; }),
  failed: ofRun((e) => {
    stage.setDoing('');
    message(e.message);
    $('status').textContent = 'This file cannot be shown';
    $('progress').textContent = '';
  }),
  async save(e) {
    const f = files[e.file];
    f.save = e;
    showSaves();
    if (e.state !== 'done' || !f.loose) return;
    const trouble = await keeper.keep(e.file, f, $('replace').checked);
    if (trouble) f.save = { ...e, state: 'failed', message: trouble };
    showSaves();
  },
}, () => {
  ended = true;
  stage.setDoing('');
  message('blorc-denoise has ended. You can close this page.');
  $('status').textContent = 'blorc-denoise has ended';
  document.querySelectorAll('button, input, select').forEach((b) => { if (!b.closest('dialog, .zoom, #modes')) b.disabled = true; });
});

const sentence = (text) => text[0].toUpperCase() + text.slice(1);
const short = (v) => String(Number(v.toPrecision(3)));

function message(text) {
  $('message').textContent = text;
  $('message').hidden = !text;
}

function showProgress(e) {
  const percent = (v) => `${Math.floor(100 * v)} %`;
  const quality = file().settings.quality;
  stage.setDoing(e.rough < 1 && !noise?.unchanged ? `denoising ${percent(e.rough)}` : '');
  let text = 'Denoised as a whole', share = 1;
  if (e.rough < 1) [text, share] = [`Denoising what you see: ${percent(e.rough)}`, e.rough];
  else if (e.visible < 1) [text, share] = [`Shown at fast quality; refining to ${quality}: ${percent(e.visible)}`, e.visible];
  else if (e.all < 1) [text, share] = [`What you see is ready; the rest: ${percent(e.all)}`, e.all];
  $('progress').textContent = text;
  $('bar').classList.toggle('busy', share < 1);
  $('bar').firstElementChild.style.width = share < 1 ? percent(share) : '0';
  $('bar').setAttribute('aria-valuenow', Math.floor(100 * share));
  document.body.dataset.ready = e.visible < 1 ? (e.rough < 1 ? '' : 'rough') : e.all < 1 ? 'visible' : 'all';
}

// thumbnail fetches the smallest tile of the whole picture for the overview.
async function thumbnail(e) {
  stage.thumbnail = null;
  const level = Math.max(0, Math.ceil(Math.log2(Math.max(e.width, e.height) / tiles.side)));
  const bytes = await tile(e.run, 'before', level, 0, 0).catch(() => null);
  if (!bytes || e.run !== run) return;
  const all = tiles.paint(null, bytes), part = document.createElement('canvas');
  part.width = Math.max(1, e.width >> level);
  part.height = Math.max(1, e.height >> level);
  part.getContext('2d').drawImage(all, 0, 0);
  stage.thumbnail = part;
  stage.draw();
}

// --- files and runs ---

// addFiles appends files to the list.
function addFiles(list) {
  files.push(...list.map((f) => ({ ...f, settings: { ...defaults }, page: 0, save: null })));
  for (const id of ['saveAll', 'applyAll', 'allBox']) $(id).hidden = files.length < 2;
}

// showPlace says which of several files is shown.
function showPlace() {
  $('place').textContent = files.length > 1 ? `${current + 1} of ${files.length}` : '';
  for (const id of ['previous', 'next']) $(id).hidden = files.length < 2;
}

function showFile(i) {
  current = (i + files.length) % files.length;
  noise = null;
  const f = file();
  $('name').textContent = f.name.split(/[\\/]/).pop();
  $('name').title = f.name;
  showPlace();
  keeper.show(f);
  document.title = `${$('name').textContent} – blorc-denoise`;
  message('');
  $('status').textContent = 'Reading the picture …';
  stage.setDoing('reading the picture');
  $('about').textContent = $('progress').textContent = '';
  showSettings();
  startRun();
}

async function startRun() {
  const mine = ++asked;
  document.body.dataset.ready = '';
  try {
    const answer = await post('run', { file: current, page: file().page, settings: file().settings });
    if (mine !== asked) return;
    run = answer.run;
    const waiting = held.get(run) ?? [];
    held.clear();
    for (const [handler, e] of waiting) handler(e);
  } catch (e) {
    if (mine === asked && !ended) $('status').textContent = e.message;
  }
}
const startRunSoon = after(250, startRun);

// --- settings ---

function showSettings() {
  const s = file().settings;
  $('noise').value = s.noise;
  $('sigma').value = s.sigma || '';
  $('photonGain').value = s.gain || '';
  $('offset').value = s.offset || '';
  $('readNoise').value = s.read_noise || '';
  for (const r of radios('quality')) r.checked = r.value === s.quality;
  for (const id of SLIDERS) {
    $(id).value = Math.round(100 * s[id]);
    document.querySelector(`output[for=${id}]`).textContent = `${$(id).value} %`;
  }
  $('level').hidden = s.noise !== 'gaussian' && s.noise !== 'camera';
  $('photons').hidden = s.noise !== 'poisson';
  tiles.set({ ...s }, Number($('gain').value));
  showCommand();
}

// change takes over settings of the current file, and starts a new run if they need one.
function change(values) {
  const s = file().settings;
  const runs = RUN_KEYS.some((k) => k in values && values[k] !== s[k]);
  Object.assign(s, values);
  showSettings();
  if (runs) {
    document.body.dataset.ready = ''; // what is shown is of other settings
    noise = null;
    stage.setDoing('denoising again');
    startRunSoon();
  }
}

const number = (id) => Math.max(0, Number.isFinite($(id).valueAsNumber) ? $(id).valueAsNumber : 0);

$('noise').addEventListener('change', () => change({ noise: $('noise').value }));
$('sigma').addEventListener('change', () => change({ sigma: number('sigma') }));
$('photonGain').addEventListener('change', () => change({ gain: number('photonGain') }));
$('offset').addEventListener('change', () => change({ offset: Number.isFinite($('offset').valueAsNumber) ? $('offset').valueAsNumber : 0 }));
$('readNoise').addEventListener('change', () => change({ read_noise: number('readNoise') }));
for (const r of radios('quality')) r.addEventListener('change', () => change({ quality: r.value }));
for (const id of SLIDERS) $(id).addEventListener('input', () => change({ [id]: $(id).valueAsNumber / 100 }));
$('reset').addEventListener('click', () => change(Object.fromEntries(SLIDERS.map((k) => [k, defaults[k]]))));
$('page').addEventListener('change', () => {
  file().page = Math.max(1, Math.min(Number($('page').max), Math.round(number('page')) || 1)) - 1;
  startRun();
});
$('applyAll').addEventListener('click', () => {
  for (const f of files) f.settings = { ...file().settings };
  $('saves').innerHTML = '';
  say('These settings are now those of all files');
  showCommand();
});

// --- the command line ---

const showCommand = after(120, async () => {
  const list = $('allFiles').checked ? files.map((_, i) => i) : [current];
  const choices = list.map((i) => ({ file: i, settings: files[i].settings }));
  try {
    $('command').value = (await post('command', { files: choices, replace: $('replace').checked })).command;
  } catch (e) {
    if (!ended) $('command').value = e.message;
  }
});
$('allFiles').addEventListener('change', showCommand);
$('replace').addEventListener('change', showCommand);
$('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText($('command').value);
  } catch {
    $('command').select();
    document.execCommand('copy');
  }
  $('copy').textContent = 'Copied';
  setTimeout(() => { $('copy').textContent = 'Copy'; }, 1500);
});

// --- saving ---

async function save(list) {
  try {
    await post('save', { files: list.map((i) => ({ file: i, settings: files[i].settings })), replace: $('replace').checked });
  } catch (e) {
    say(e.message, 'failed');
  }
}

function say(text, className = '') {
  const li = document.createElement('li');
  li.textContent = text;
  li.className = className;
  $('saves').prepend(li);
}

function showSaves() {
  const rows = [];
  let busy = false;
  for (const f of files) {
    if (!f.save) continue;
    const { state, share, message } = f.save;
    const li = document.createElement('li');
    li.className = state;
    const name = f.name.split(/[\\/]/).pop();
    busy ||= state === 'waiting' || state === 'working';
    li.textContent = {
      waiting: `${name}: waiting`,
      working: `${name}: saving, ${Math.floor(100 * share)} %`,
      done: `Saved: ${message}`,
      failed: `${name}: ${message}`,
      cancelled: `${name}: cancelled`,
    }[state];
    rows.push(li);
  }
  $('saves').replaceChildren(...rows);
  $('cancel').hidden = !busy;
  $('save').disabled = busy && ['waiting', 'working'].includes(file().save?.state);
  $('saveAll').disabled = busy;
}

$('save').addEventListener('click', () => save([current]));
$('saveAll').addEventListener('click', () => save(files.map((_, i) => i)));
$('cancel').addEventListener('click', () => post('cancel', {}).catch(() => {}));

// --- view ---

function setMode(mode) {
  for (const r of radios('mode')) r.checked = r.value === mode;
  $('gainbox').hidden = mode !== 'difference';
  stage.setMode(mode);
}
for (const r of radios('mode')) r.addEventListener('change', () => setMode(r.value));
$('gain').addEventListener('change', () => tiles.set({ ...file().settings }, Number($('gain').value)));
$('in').addEventListener('click', () => stage.step(1));
$('out').addEventListener('click', () => stage.step(-1));
$('full').addEventListener('click', () => stage.zoomTo(1));
$('fit').addEventListener('click', () => stage.fit());
$('previous').addEventListener('click', () => showFile(current - 1));
$('next').addEventListener('click', () => showFile(current + 1));
$('help').addEventListener('click', () => $('keys').showModal());

function peek(on) {
  if (stage.peek === on) return;
  stage.peek = on;
  stage.move();
}

const keys = {
  1: () => setMode('split'), 2: () => setMode('side'), 3: () => setMode('before'), 4: () => setMode('after'), 5: () => setMode('difference'),
  '+': () => stage.step(1), '=': () => stage.step(1), '-': () => stage.step(-1), '−': () => stage.step(-1),
  z: () => stage.zoomTo(1), f: () => stage.fit(),
  '[': () => stage.setSplit(stage.split - 0.02), ']': () => stage.setSplit(stage.split + 0.02),
  m: () => noiseMap.toggle(),
  n: () => files.length > 1 && showFile(current + 1), p: () => files.length > 1 && showFile(current - 1),
  '?': () => $('keys').showModal(),
};

addEventListener('keydown', (e) => {
  if (!files.length || ended) return;
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 's') {
    e.preventDefault();
    if (!$('save').disabled) save([current]);
    return;
  }
  const at = document.activeElement ?? document.body;
  if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open || at.matches('select, textarea, input[type=number]')) return;
  const free = at === document.body || at.closest('#stage'); // nothing else takes arrows and the space bar
  const by = (e.shiftKey ? 0.9 : 0.1);
  const pan = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
  if (!free && (pan || e.key === ' ')) return;
  if (pan) stage.pan(pan[0] * by * stage.paneWidth, pan[1] * by * stage.canvas.height);
  else if (e.key === ' ') peek(true);
  else if (keys[e.key.toLowerCase()]) keys[e.key.toLowerCase()]();
  else return;
  e.preventDefault();
});
addEventListener('keyup', (e) => { if (e.key === ' ') peek(false); });
addEventListener('blur', () => peek(false));

// For tests.
window.view = { stage, tiles, noiseMap };
