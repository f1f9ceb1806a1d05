// Pictures that come to the page: dropped, pasted or chosen. They go to the program on this computer and nowhere else.
import { post, send } from './api.js';

const $ = (id) => document.getElementById(id);
const MOST = 500; // files of one drop

export class Door {
  constructor() {
    this.busy = false;
    this.system = false; // the program can open a window of the system
    $('choose').addEventListener('click', () => this.choose());
    $('more').addEventListener('click', () => this.choose());
    $('noticeclose').addEventListener('click', () => this.say(''));
    $('pick').addEventListener('change', () => {
      this.add([...$('pick').files]);
      $('pick').value = '';
    });
    this.listenDrop();
  }

  // open lets pictures in. Until then, and without it, the page takes none.
  open(hello) {
    this.takes = hello.takes;
    this.system = hello.chooses;
    $('more').hidden = !this.takes && !this.system;
    document.body.classList.toggle('empty', !hello.files.length);
    document.body.classList.remove('waiting');
  }

  async choose() {
    if (!this.system) {
      $('pick').click();
      return;
    }
    if (this.busy) return;
    this.busy = true;
    this.say('Choose pictures in the window of your system …');
    try {
      this.say(byReason(await post('choose', {})), true);
    } catch (e) {
      this.system = false; // the browser has a window, too
      this.say(`${e.message}; press the button again for that of the browser`, true);
    }
    this.busy = false;
  }

  listenDrop() {
    let depth = 0; // of elements that were entered
    const files = (e) => this.takes && [...(e.dataTransfer?.types ?? [])].includes('Files');
    const mark = (d) => {
      depth = Math.max(0, d);
      document.body.classList.toggle('dragging', depth > 0);
    };
    addEventListener('dragenter', (e) => { if (files(e)) mark(depth + 1); });
    addEventListener('dragleave', (e) => { if (files(e)) mark(depth - 1); });
    addEventListener('dragover', (e) => { if (files(e)) e.preventDefault(); });
    addEventListener('drop', async (e) => {
      mark(0);
      if (!files(e)) return;
      e.preventDefault();
      const items = [...e.dataTransfer.items].map((i) => i.webkitGetAsEntry?.()).filter(Boolean);
      this.add(items.length ? await filesOf(items) : [...e.dataTransfer.files]);
    });
    addEventListener('paste', (e) => {
      if (this.takes && e.clipboardData?.files.length) this.add([...e.clipboardData.files]);
    });
  }

  // add hands files over, one after the other. What is refused is said, and does not keep the others.
  async add(all) {
    if (this.busy || !all.length) return;
    this.busy = true;
    const refused = [];
    for (const [i, f] of all.entries()) {
      this.say(all.length > 1 ? `Taking ${f.name}, ${i + 1} of ${all.length} …` : `Taking ${f.name} …`);
      try {
        await send('add?name=' + encodeURIComponent(f.name), f);
      } catch (e) {
        refused.push({ name: f.name, why: e.message });
      }
    }
    this.busy = false;
    this.say(byReason(refused), true);
  }

  // say shows a text in both places that a page may have for it: with pictures, and without. What went wrong stays until
  // it is closed.
  say(text, bad = false) {
    $('doorsay').textContent = $('noticetext').textContent = text;
    $('doorsay').classList.toggle('bad', bad);
    $('notice').classList.toggle('bad', bad);
    $('notice').hidden = !text;
  }
}

// byReason names the files that were refused, with a line for each reason.
function byReason(refused) {
  const names = new Map();
  for (const { name, why } of refused) names.set(why, [...(names.get(why) ?? []), name]);
  return [...names].map(([why, list]) => {
    const more = list.length > 4 ? ` and ${list.length - 3} more` : '';
    return `${list.slice(0, more ? 3 : 4).join(', ')}${more}: ${why}`;
  }).join('\n');
}

// filesOf returns the files of entries, and of folders among them those that may be pictures, also of kinds that are
// refused with advice.
async function filesOf(entries) {
  const out = [];
  const visit = async (e, named) => {
    if (out.length >= MOST) return;
    if (e.isFile) {
      if (named || /^[^.].*\.(png|jpe?g|tiff?|webp|bmp|p[bgpnaf]m|hei[cf]|hif|avif|jxl|dng)$/i.test(e.name)) out.push(await new Promise((ok, no) => e.file(ok, no)));
      return;
    }
    const reader = e.createReader();
    for (;;) {
      const some = await new Promise((ok, no) => reader.readEntries(ok, no));
      if (!some.length) return;
      for (const s of some) await visit(s, false);
    }
  };
  for (const e of entries) await visit(e, true);
  return out;
}

// Keeper puts saved files where the user wants those that have no folder.
export class Keeper {
  constructor(changed) {
    this.folder = null;
    $('folder').addEventListener('click', async () => {
      try {
        this.folder = await showDirectoryPicker({ mode: 'readwrite' });
        changed();
      } catch { /* the user chose none */ }
    });
  }

  // show says for a file where it will be.
  show(file) {
    $('folder').hidden = !file.loose || !('showDirectoryPicker' in window);
    $('output').textContent = !file.loose ? file.out
      : this.folder ? `${file.out} in the folder ${this.folder.name}` : `${file.out}, downloaded by the browser`;
  }

  // keep takes over what was saved of file number i.
  async keep(i, file, replace) {
    const address = `api/result?file=${i}`;
    if (!this.folder) {
      const a = document.createElement('a');
      a.href = address;
      a.download = file.out;
      a.click();
      return '';
    }
    try {
      if (!replace && await this.folder.getFileHandle(file.out).then(() => true, () => false)) return `${file.out} exists in ${this.folder.name}`;
      const to = await (await this.folder.getFileHandle(file.out, { create: true })).createWritable();
      await (await fetch(address)).body.pipeTo(to);
      return '';
    } catch (e) {
      return `${file.out} cannot be written into ${this.folder.name}: ${e.message}`;
    }
  }
}
