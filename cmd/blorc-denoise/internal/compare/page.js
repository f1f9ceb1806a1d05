"use strict";
// Each figure shows two of its pictures, one on each side of a border that a slider moves.
const figures = [...document.querySelectorAll('figure')];
const choice = { left: 0, right: 1 };

// beside says whether a figure shows its pictures side by side: as chosen, or because the whole picture leaves room for both.
function beside(figure) {
  const way = document.getElementById('way');
  if (way.value === 'side') return true;
  const width = figure.querySelector('img').getAttribute('width');
  return !way.chosen && figure.classList.contains('scale') && choice.left !== choice.right && 2 * width + 4 <= figure.parentElement.clientWidth;
}

function show(figure) {
  const images = [...figure.querySelectorAll('img')], share = Number(figure.querySelector('input').value);
  const [left, right] = [images[choice.left], images[choice.right]];
  for (const i of images) i.classList.toggle('off', i !== left && i !== right);
  for (const i of images) i.style.clipPath = '';
  const both = beside(figure) && left !== right;
  figure.classList.toggle('side', both);
  left.style.order = 0;
  if (left !== right) right.style.order = 1;
  if (left !== right && !both) {
    left.style.clipPath = `inset(0 ${100 - share}% 0 0)`;
    right.style.clipPath = `inset(0 0 0 ${share}%)`;
  }
  figure.querySelector('.line').style.left = `${share}%`;
  figure.querySelector('.tag.left').textContent = left.dataset.label;
  figure.querySelector('.tag.right').textContent = right.dataset.label;
}

for (const figure of figures) {
  const input = figure.querySelector('input'), stack = figure.querySelector('.stack');
  input.addEventListener('input', () => show(figure));
  const move = (e) => {
    const box = stack.getBoundingClientRect();
    input.value = 100 * (e.clientX - box.left) / box.width;
    show(figure);
  };
  stack.addEventListener('pointerdown', (e) => {
    if (e.pointerType === 'mouse') e.preventDefault(); // not the drag of a picture
    move(e);
  });
  stack.addEventListener('pointermove', (e) => { if (e.buttons) move(e); });
}

function showAll() { figures.forEach(show); }

for (const side of ['left', 'right']) {
  const select = document.getElementById(side);
  if (!select) continue;
  choice[side] = Number(select.value);
  select.addEventListener('change', () => {
    choice[side] = Number(select.value);
    showAll();
  });
}

document.getElementById('way').addEventListener('change', (e) => {
  e.target.chosen = true;
  showAll();
});
addEventListener('resize', showAll);
document.getElementById('zoom').addEventListener('change', (e) => {
  const zoom = Number(e.target.value);
  for (const figure of figures) {
    if (figure.classList.contains('scale')) continue;
    figure.classList.toggle('big', zoom > 1);
    for (const i of figure.querySelectorAll('img')) {
      i.style.width = `${zoom * i.getAttribute('width')}px`;
      i.style.height = `${zoom * i.getAttribute('height')}px`;
    }
  }
});
showAll();
