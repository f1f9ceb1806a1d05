// Tests the page of "blorc-denoise view" in Chromium and Firefox.
//
//   BLORC_DENOISE=path/to/blorc-denoise npm test
//
// BROWSERS=chrome,firefox chooses browsers, CHROMIUM and FIREFOX their programs. SHOTS=folder keeps screenshots.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import puppeteer from 'puppeteer-core';

const program = path.resolve(process.env.BLORC_DENOISE ?? '../../../../../blorc-denoise');
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.SHOTS;
const paths = {
  chrome: process.env.CHROMIUM ?? '/usr/bin/chromium',
  firefox: process.env.FIREFOX ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((p) => fs.existsSync(p)),
};
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'view-'));
const sh = (...args) => execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });

before(() => {
  sh('demo', '-o', '.');
  fs.copyFileSync(path.join(folder, 'demo-noisy.png'), path.join(folder, 'second picture.png'));
  fs.writeFileSync(path.join(folder, 'damaged.png'), fs.readFileSync(path.join(folder, 'demo-noisy.png')).subarray(0, 5000));
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

// view starts the program. It returns the address, and a promise of the exit code.
async function view(...args) {
  const p = spawn(program, ['view', '--no-open', ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let err = '';
  p.stderr.on('data', (d) => { err += d; });
  const exit = new Promise((ok) => p.on('exit', (code, signal) => ok(code ?? signal)));
  const address = await Promise.race([
    new Promise((ok) => p.stdout.once('data', (d) => ok(String(d).trim()))),
    exit.then((code) => assert.fail(`exit code ${code}: ${err}`)),
  ]);
  return { p, exit, address };
}

function within(promise, ms, what) {
  return Promise.race([promise, new Promise((_, no) => setTimeout(() => no(new Error(`${what} takes more than ${ms} ms`)), ms).unref())]);
}

for (const browser of (process.env.BROWSERS ?? 'chrome,firefox').split(',')) {
  describe(browser, { concurrency: 1 }, () => {
    let b;
    before(async () => {
      b = await puppeteer.launch({ browser, executablePath: paths[browser], headless: true, args: browser === 'chrome' ? ['--no-sandbox'] : [] });
    });
    after(() => b?.close());

    // open opens a page that fails the test on errors and on requests to other places.
    async function open(address, { width = 1440, height = 900, dark = false, touch = false } = {}) {
      const page = await b.newPage();
      page.problems = [];
      page.on('console', (m) => { // 410 is the answer to a request for a tile of a run that another one has followed
        if (m.type() === 'error' && !m.text().includes('410 (Gone)')) page.problems.push(m.text());
      });
      page.on('pageerror', (e) => page.problems.push(e.message));
      page.on('request', (r) => {
        if (!r.url().startsWith(address) && !r.url().startsWith('data:')) page.problems.push(`request to ${r.url()}`);
      });
      await page.setViewport({ width, height, hasTouch: touch && browser === 'chrome', isMobile: touch && browser === 'chrome', deviceScaleFactor: 1 });
      if (browser === 'chrome') await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
      await page.goto(address);
      return page;
    }
    const ready = (page, state = 'visible') => page.waitForFunction(
      (states) => states.includes(document.body.dataset.ready), { timeout: 60000 }, { rough: ['rough', 'visible', 'all'], visible: ['visible', 'all'], all: ['all'] }[state]);
    const text = (page, id) => page.$eval(`#${id}`, (e) => e.value ?? e.textContent);
    const until = (page, f, ...args) => page.waitForFunction(f, { timeout: 30000 }, ...args);
    const set = (page, id, value) => page.$eval(`#${id}`, (e, v) => {
      e.value = v;
      e.dispatchEvent(new Event('input', { bubbles: true }));
      e.dispatchEvent(new Event('change', { bubbles: true }));
    }, value);
    const shot = async (page, name) => shots && page.screenshot({ path: path.join(shots, `${browser}-${name}.png`) });
    // close closes the page, which ends the program with an exit code.
    async function close(v, page, code = 0) {
      assert.deepEqual(page.problems, []);
      await page.close();
      assert.equal(await within(v.exit, 15000, 'the end'), code);
    }

    test('shows, blends, saves and copies what the command line does', { timeout: 120000 }, async () => {
      const out = path.join(folder, `out-${browser}`);
      const v = await view('demo-noisy.png', '-o', out + '/', '--quality', 'fast');
      const page = await open(v.address);
      await ready(page, 'all');
      assert.match(await text(page, 'status'), /^White noise, strong, found$/);
      await until(page, () => document.querySelector('#curve svg circle') && document.querySelector('#histogram svg polygon'));
      await shot(page, 'wide-light');

      for (const [id, value] of [['strength', 90], ['luma', 80], ['chroma', 60], ['grain', 50]]) await set(page, id, value);
      await until(page, () => document.querySelector('#command').value.includes('--grain 0.5'));
      assert.equal(await text(page, 'command'),
        `blorc-denoise demo-noisy.png -o ${out}/ --quality fast --strength 0.9 --luma 0.8 --chroma 0.6 --grain 0.5`);
      await page.click('#save');
      await until(page, () => document.querySelector('#saves .done'));
      const saved = fs.readFileSync(path.join(out, 'demo-noisy.png'));

      // The same bytes as from the command line.
      const line = (await text(page, 'command')).replace('blorc-denoise', `"${program}"`).replace(`${out}/`, `${out}-line/`);
      execFileSync('sh', ['-c', line], { cwd: folder, stdio: 'ignore' });
      assert.ok(saved.equals(fs.readFileSync(path.join(`${out}-line`, 'demo-noisy.png'))), 'the command line gives other bytes');

      // What is shown is what was saved.
      const [off, mean] = await page.evaluate(async (data) => {
        const image = new Image();
        image.src = 'data:image/png;base64,' + data;
        await image.decode();
        const c = document.createElement('canvas');
        c.width = image.width;
        c.height = image.height;
        const context = c.getContext('2d');
        context.drawImage(image, 0, 0);
        let off = 0, sum = 0, n = 0;
        for (let y = 0; y < image.height; y += 256) {
          for (let x = 0; x < image.width; x += 256) {
            const w = Math.min(256, image.width - x), h = Math.min(256, image.height - y);
            const want = context.getImageData(x, y, w, h).data, got = view.tiles.get('after', 0, x / 256, y / 256)?.getContext('2d').getImageData(0, 0, w, h).data;
            if (!got) continue;
            for (let i = 0; i < want.length; i++) {
              const d = Math.abs(want[i] - got[i]);
              if (d > 2) off++; // where what was removed was cut off at black or white
              sum += d;
              n++;
            }
          }
        }
        return [off / n, n > 100000 ? sum / n : NaN];
      }, saved.toString('base64'));
      assert.ok(off < 0.005 && mean < 0.5, `shown and saved differ by ${mean} on average, and by more than 2 levels in ${100 * off} % of the samples`);

      // A second time the file exists, unless it is to be replaced.
      await page.click('#save');
      await until(page, () => document.querySelector('#saves .failed')?.textContent.includes('exists'));
      await page.click('#replace');
      await until(page, () => document.querySelector('#command').value.endsWith('--overwrite always'));
      await page.click('#save');
      await until(page, () => document.querySelector('#saves .done'));
      await close(v, page);
    });

    test('zooms and pans by mouse and keys', { timeout: 60000 }, async () => {
      const v = await view('demo-noisy.png', '--quality', 'fast');
      const page = await open(v.address, { width: 700, height: 600 });
      await ready(page);
      const state = () => page.evaluate(() => ({ zoom: view.stage.zoom, x: view.stage.x, y: view.stage.y, split: view.stage.split, mode: view.stage.mode }));
      assert.equal((await state()).zoom, 1);
      const box = await (await page.$('#canvas')).boundingBox();
      const mx = box.x + box.width / 3, my = box.y + box.height / 3;
      await page.mouse.move(mx, my);
      await page.mouse.wheel({ deltaY: -400 });
      await until(page, () => view.stage.zoom > 1.5);
      const zoomed = await state();
      await page.mouse.down();
      await page.mouse.move(mx - 60, my - 30, { steps: 3 });
      await page.mouse.up();
      await until(page, (x) => view.stage.x > x + 10, zoomed.x);
      // The handle follows the mouse.
      const handle = await (await page.$('#handle')).boundingBox();
      await page.mouse.move(handle.x + handle.width / 2, handle.y + 50);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 4, handle.y + 50, { steps: 4 });
      await page.mouse.up();
      await until(page, () => Math.abs(view.stage.split - 0.25) < 0.02);
      await until(page, () => document.querySelector('#handle').getAttribute('aria-valuenow') === '25'); // it follows with the next frame
      await page.keyboard.press('ArrowRight'); // the handle has the focus
      assert.ok((await state()).split > 0.26);
      await page.focus('#canvas');
      for (const [key, check] of [['z', () => view.stage.zoom === 1], ['f', () => view.stage.fitted], ['+', () => !view.stage.fitted],
        ['2', () => view.stage.mode === 'side'], ['3', () => view.stage.mode === 'before'], ['4', () => view.stage.mode === 'after'],
        ['5', () => view.stage.mode === 'difference' && !document.querySelector('#gainbox').hidden], ['1', () => view.stage.mode === 'split']]) {
        await page.keyboard.press(key);
        assert.ok(await page.evaluate(check), `key ${key}`);
      }
      await page.keyboard.press('z');
      for (let i = 0; i < 3; i++) await page.keyboard.press('+');
      const at = await state();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowUp');
      const moved = await state();
      assert.ok(moved.x > at.x && moved.y < at.y, 'arrows move the picture');
      await page.keyboard.down(' ');
      assert.ok(await page.evaluate(() => view.stage.peek));
      await page.keyboard.up(' ');
      assert.ok(!await page.evaluate(() => view.stage.peek));
      await page.keyboard.press('?');
      assert.ok(await page.$eval('#keys', (d) => d.open));
      await page.keyboard.press('Escape');
      await close(v, page);
    });

    test('lays the noise map over the picture', { timeout: 60000 }, async () => {
      const v = await view('demo-noisy.png', '--quality', 'fast');
      const page = await open(v.address, { width: 1200, height: 800 });
      await ready(page, 'all');
      // pixels returns the colours of the middle of the canvas, from row to row.
      const pixels = () => page.evaluate(() => new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const c = document.querySelector('#canvas'), d = c.getContext('2d').getImageData(c.width / 4, c.height / 2, 32, 32).data;
        ok([0, 1, 2].map((i) => d.reduce((sum, v, j) => sum + (j % 4 === i ? v : 0), 0) / 1024));
      }))));
      const plain = await pixels();
      assert.ok(await page.$eval('#mapBox', (e) => e.hidden));
      await page.click('#noiseMap');
      await until(page, () => document.querySelector('#mapEnd').textContent.endsWith('levels of the file'));
      assert.deepEqual(await page.$$eval('#mapPart option', (all) => all.map((o) => o.textContent)), ['brightness', 'colours']);
      const mapped = await pixels();
      assert.ok(mapped.some((c, i) => Math.abs(c - plain[i]) > 10), `the map changes ${plain} to ${mapped}`);
      await shot(page, 'noise-map');
      await page.select('#mapPart', '1');
      await page.evaluate(axe);
      assert.deepEqual(await page.evaluate(() => axe.run().then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target)}`))), []);
      // With another noise there is another map.
      await page.select('#noise', 'none');
      await until(page, () => document.querySelector('#status').textContent.startsWith('No noise'));
      await until(page, () => view.noiseMap.event?.parts[0].cells.every((c) => c === 0));
      await page.focus('#canvas');
      await page.keyboard.press('m');
      assert.ok(await page.$eval('#mapBox', (e) => e.hidden));
      const off = await pixels();
      assert.ok(off.every((c, i) => Math.abs(c - plain[i]) < 5), `without the map ${plain} is ${off}`);
      await close(v, page);
    });

    test('two fingers zoom', { timeout: 60000, skip: browser !== 'chrome' && 'puppeteer has touch in Chromium only' }, async () => {
      const v = await view('demo-noisy.png', '--quality', 'fast');
      const page = await open(v.address, { width: 390, height: 844, touch: true });
      await ready(page);
      const box = await (await page.$('#canvas')).boundingBox();
      const x = box.x + box.width / 2, y = box.y + box.height / 3;
      const one = await page.touchscreen.touchStart(x - 160, y), two = await page.touchscreen.touchStart(x - 120, y);
      await two.move(x - 40, y);
      await two.end();
      await one.end();
      const zoom = await page.evaluate(() => view.stage.zoom);
      assert.ok(zoom > 1.5, `zoom ${zoom}`);
      await close(v, page);
    });

    test('an empty page takes pictures and gives the results back', { timeout: 120000 }, async () => {
      const v = await view('--quality', 'fast');
      for (const [width, height] of [[1440, 900], [390, 844]]) {
        for (const dark of browser === 'chrome' ? [false, true] : [false]) {
          const page = await open(v.address, { width, height, dark, touch: width < 500 });
          await until(page, () => document.body.classList.contains('empty') && !document.querySelector('#more').hidden);
          const seen = await page.$$eval('button, input, select, canvas', (all) => all.filter((e) => e.checkVisibility()).map((e) => e.id));
          assert.deepEqual(seen, ['choose']);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide');
          await page.evaluate(axe);
          const found = await page.evaluate(() => axe.run().then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target + ' ' + n.failureSummary).join('; ')}`)));
          assert.deepEqual(found, []);
          await shot(page, `empty-${width}-${dark ? 'dark' : 'light'}`);
          assert.deepEqual(page.problems, []);
          if (width === 1440 && !dark) await page.goto('about:blank');
          await page.close();
        }
      }
      const page = await open(v.address);
      await until(page, () => !document.querySelector('#more').hidden); // it knows that it takes pictures
      // drop lets files fall on the page, as a file manager does.
      const drop = (...names) => page.evaluate(async (files) => {
        const data = new DataTransfer();
        for (const [name, text] of files) data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
        for (const kind of ['dragenter', 'dragover', 'drop']) document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
      }, names.map((n) => [n, fs.readFileSync(path.join(folder, n)).toString('base64')]));
      fs.writeFileSync(path.join(folder, 'letter.txt'), 'no picture');
      await drop('letter.txt');
      await until(page, () => /^letter.txt: /.test(document.querySelector('#doorsay').textContent));
      for (const name of ['1.heic', '2.heic']) fs.writeFileSync(path.join(folder, name), '1234ftypheic');
      // What the picture says while it is at work may be gone before anybody looks.
      await page.evaluate(() => {
        const label = document.querySelector('#labelAfter');
        window.said = [];
        new MutationObserver(() => label.matches('.doing') && window.said.push(label.textContent))
          .observe(label, { attributes: true, childList: true, characterData: true, subtree: true });
      });
      await drop('1.heic', 'demo-noisy.png', 'letter.txt', '2.heic');
      await ready(page);
      // What is refused is named beside what is shown, with a line for each reason, until it is closed.
      await until(page, () => /^1.heic, 2.heic: HEIC file, .*heif-convert.*\nletter.txt: not a PNG, /.test(document.querySelector('#notice').innerText));
      await page.click('#noticeclose');
      await until(page, () => document.querySelector('#notice').hidden);
      await until(page, () => document.querySelector('#labelAfter').textContent === 'after' && !document.querySelector('#labelAfter').matches('.doing'));
      const said = await page.evaluate(() => window.said);
      assert.ok(said.some((t) => /noise|denoising/.test(t)), `the picture said ${said}`);
      assert.equal(await text(page, 'output'), 'demo-noisy-denoised.png, downloaded by the browser');
      await until(page, () => document.querySelector('#command').value === 'blorc-denoise demo-noisy.png --quality fast');
      await shot(page, 'dropped');
      // The result is what the command line writes.
      if (browser === 'chrome') {
        const client = await page.createCDPSession();
        await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
        await page.click('#save');
        await until(page, () => document.querySelector('#saves .done'));
        const got = path.join(folder, 'demo-noisy-denoised.png');
        for (let i = 0; i < 100 && !fs.existsSync(got); i++) await new Promise((ok) => setTimeout(ok, 50));
        sh('demo-noisy.png', '--quality', 'fast', '-o', 'line.png');
        assert.ok(fs.readFileSync(got).equals(fs.readFileSync(path.join(folder, 'line.png'))));
        fs.rmSync(got);
        fs.rmSync(path.join(folder, 'line.png'));
      }
      // More can be added.
      await drop('second picture.png');
      await until(page, () => document.querySelector('#place').textContent === '1 of 2');
      await page.click('#next');
      await until(page, () => document.querySelector('#name').textContent === 'second picture.png');
      await ready(page);
      await drop('letter.txt');
      await until(page, () => !document.querySelector('#notice').hidden && document.querySelector('#notice').textContent.includes('letter.txt'));
      page.problems = page.problems.filter((p) => !p.includes('422')); // the letter
      await close(v, page);
    });

    test('several files, noise and quality', { timeout: 120000 }, async () => {
      const out = path.join(folder, `several-${browser}`);
      const v = await view('demo-noisy.png', 'second picture.png', 'damaged.png', '-o', out, '--quality', 'fast');
      const page = await open(v.address, { dark: true });
      await ready(page);
      assert.equal(await text(page, 'place'), '1 of 3');
      await page.select('#noise', 'gaussian');
      await set(page, 'sigma', '10');
      await until(page, () => document.querySelector('#status').textContent === 'White noise, medium, given');
      await ready(page);
      await page.select('#noise', 'none');
      await until(page, () => document.querySelector('#status').textContent.startsWith('No noise'));
      await page.select('#noise', 'auto');
      await until(page, () => document.querySelector('#status').textContent.endsWith('found'));
      await page.click('input[value=balanced]');
      await ready(page, 'all');
      await shot(page, 'wide-dark');
      await page.click('input[value=fast]');
      await set(page, 'strength', 70);
      await page.click('#applyAll');
      await page.click('#next');
      await until(page, () => document.querySelector('#name').textContent === 'second picture.png');
      assert.equal(await page.$eval('#strength', (e) => e.value), '70');
      await ready(page);
      await until(page, () => document.querySelector('#command').value.includes('second'));
      assert.equal(await text(page, 'command'), `blorc-denoise 'second picture.png' -o '${out}/second picture.png' --quality fast --strength 0.7`);
      await page.click('#allFiles');
      await until(page, () => document.querySelector('#command').value.includes('damaged'));
      assert.equal(await text(page, 'command'), `blorc-denoise demo-noisy.png 'second picture.png' damaged.png -o ${out} --quality fast --strength 0.7`);
      await page.click('#next');
      await until(page, () => !document.querySelector('#message').hidden && document.querySelector('#message').textContent.includes('damaged'));
      await page.click('#next'); // the first again
      await ready(page);
      await page.click('#saveAll');
      await until(page, () => document.querySelectorAll('#saves .done').length === 2 && document.querySelectorAll('#saves .failed').length === 1);
      assert.deepEqual(fs.readdirSync(out).sort(), ['demo-noisy.png', 'second picture.png']);
      await close(v, page, 1); // one of the files failed
    });

    test('has labels, contrast and no overflow', { timeout: 120000 }, async () => {
      const v = await view('demo-noisy.png', 'second picture.png', '--quality', 'fast');
      for (const [width, height] of [[1440, 900], [390, 844]]) {
        for (const dark of browser === 'chrome' ? [false, true] : [false]) {
          const page = await open(v.address, { width, height, dark, touch: width < 500 });
          await ready(page);
          await until(page, () => document.querySelector('#curve svg'));
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
          const small = await page.$$eval('button, select, input[type=number]', (all) => all.filter((e) => e.offsetParent && !e.closest('dialog'))
            .map((e) => [e.id, e.getBoundingClientRect()]).filter(([id, r]) => r.height < 24 || r.right > innerWidth + 1).map(([id, r]) => `${id} ${r.width}x${r.height}`));
          assert.deepEqual(small, []);
          await page.evaluate(axe);
          const found = await page.evaluate(() => axe.run().then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target + ' ' + n.failureSummary).join('; ')}`)));
          assert.deepEqual(found, []);
          await shot(page, `${width}-${dark ? 'dark' : 'light'}`);
          assert.deepEqual(page.problems, []);
          await page.close();
        }
      }
      assert.equal(await within(v.exit, 15000, 'the end'), 0);
    });

    test('the pages of --compare and eval --html', { timeout: 120000 }, async () => {
      const run = `run-${browser}.html`, set = `set-${browser}.html`;
      sh('demo-noisy.png', '--quality', 'fast', '-o', `for-${run}.png`, '--compare', run);
      sh('eval', 'demo-clean.png', '--sigma', '25', '--quality', 'fast', '-m', 'local', '-m', 'paper', '--html', set);
      for (const [name, width, height] of [[run, 1440, 900], [run, 390, 844], [set, 1440, 900], [set, 390, 844]]) {
        const page = await open('file://' + path.join(folder, name), { width, height, dark: width < 500 });
        await page.$eval('figure input', (e) => {
          e.value = 25;
          e.dispatchEvent(new Event('input'));
        });
        const clip = () => page.$$eval('figure:first-of-type img', (all) => all.map((i) => i.style.clipPath));
        assert.match((await clip())[0], /inset\(0(px)? 75% 0(px)? 0(px)?\)/);
        if (name === set) {
          await page.select('#right', '2');
          assert.match((await clip())[2], /25%/);
          assert.equal(await page.$eval('figure .tag.right', (e) => e.textContent), 'paper');
        }
        await page.select('#zoom', '2');
        assert.equal(await page.$eval('figure:not(.scale) img', (i) => i.getBoundingClientRect().width / i.getAttribute('width')), 2);
        await page.select('#zoom', '1');
        await page.select('#way', 'side');
        const pair = await page.$eval('figure', (f) => [...f.querySelectorAll('img:not(.off)')].map((i) => [i.getBoundingClientRect().left, i.style.clipPath]));
        assert.ok(pair.length === 2 && pair[0][0] !== pair[1][0] && !pair[0][1] && !pair[1][1], `${name}: side by side ${JSON.stringify(pair)}`);
        await page.select('#way', 'slider');
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is too wide`);
        await page.evaluate(axe);
        const found = await page.evaluate(() => axe.run().then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join('; ')}`)));
        assert.deepEqual(found, []);
        if (shots) await page.screenshot({ path: path.join(shots, `${browser}-${name}-${width}.png`), fullPage: true });
        assert.deepEqual(page.problems, []);
        await page.close();
      }
    });

    test('says when the program has ended', { timeout: 60000 }, async () => {
      const v = await view('demo-noisy.png', '--quality', 'fast');
      const page = await open(v.address);
      await ready(page);
      v.p.kill('SIGINT');
      assert.equal(await within(v.exit, 10000, 'the end'), 0);
      await until(page, () => document.querySelector('#status').textContent === 'blorc-denoise has ended');
      await page.close();
    });

    test('other pages cannot use it', { timeout: 60000 }, async () => {
      const v = await view('demo-noisy.png', '--quality', 'fast');
      const page = await open(v.address);
      await ready(page);
      const other = await b.newPage();
      await other.goto('data:text/html,<h1>another page</h1>');
      const results = await other.evaluate(async (address) => {
        const attempt = (f) => f().then(() => 'allowed', () => 'refused');
        return [
          await attempt(() => fetch(address)),
          await attempt(() => fetch(address + 'api/save', { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })),
          await attempt(() => new Promise((ok, no) => {
            const s = document.createElement('script');
            s.src = address + 'main.js';
            s.onload = ok;
            s.onerror = no;
            document.head.append(s);
          })),
          await attempt(() => new Promise((ok, no) => {
            const e = new EventSource(address + 'api/events');
            e.onopen = ok;
            e.onerror = no;
          })),
        ];
      }, v.address);
      assert.deepEqual(results, ['refused', 'refused', 'refused', 'refused']);
      await other.close();
      await close(v, page);
    });
  });
}
