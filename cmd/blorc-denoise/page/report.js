"use strict";
const rows = document.getElementById("rows");
const items = Array.from(rows.children);
const search = document.getElementById("search"), status = document.getElementById("status"), order = document.getElementById("order"), shown = document.getElementById("shown");
const names = items.map(li => li.querySelector(".about").textContent.toLowerCase());
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  items.forEach((li, i) => {
    const fits = (!status.value || li.dataset.status === status.value) && words.every(w => names[i].includes(w));
    li.hidden = !fits;
    n += fits;
  });
  shown.textContent = n + " of " + items.length + " files shown";
}
function sort() {
  const [key, down] = order.value.split(" ");
  const sorted = items.slice();
  if (key !== "order") sorted.sort((a, b) => (down ? -1 : 1) * ((Number(a.dataset[key]) || 0) - (Number(b.dataset[key]) || 0)));
  rows.append(...sorted);
}
let wait;
search.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(filter, 120); });
status.addEventListener("change", filter);
order.addEventListener("change", sort);
document.addEventListener("keydown", e => {
  if (e.key === "/" && document.activeElement !== search && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); search.focus(); }
  if (e.key === "Escape" && document.activeElement === search) { search.value = ""; filter(); }
});
document.querySelector(".tools").hidden = false;
filter();
