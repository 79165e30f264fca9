// Elements and texts of numbers. Names in jobs may be hostile, so texts go into the page only as
// text nodes.

const $ = (id) => document.getElementById(id);

// make('td', {class: 'n'}, 'text', child, ...) returns a new element.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// The same for SVG.
function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : value);
  }
}

// Sets a text without a change of the page where it is the same.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A table with a scroll bar of its own. head: [name, class]; rows: lists of texts and elements.
function table(caption, head, rows) {
  const cells = (row, tag) => row.map((cell, i) =>
    make(tag, {class: head[i][1], scope: tag === 'th' ? 'col' : null}, cell));
  return make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
    make('table', {},
      make('caption', {class: 'hidden'}, caption),
      make('thead', {}, make('tr', {}, ...cells(head.map(([name]) => name), 'th'))),
      make('tbody', {}, ...rows.map((row) => make('tr', {}, ...cells(row, 'td'))))));
}

// What the colors of bars mean: [text, class].
const barKeys = (keys) => make('p', {class: 'keys-of-bars'}, ...keys.map(([text, kind]) =>
  make('span', {}, make('i', {class: kind, 'aria-hidden': 'true'}), text)));

// The number of a row; null if the row has none, NaN for "nan", "inf" and "-inf".
function numberOf(value) {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?(nan|inf)$/.test(value) ? NaN : null;
}

// Four digits: 12340 -> "12.3k", 0.000123 -> "1.23e-4".
function short(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number' || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e9) return trim(value / 1e9) + 'G';
  if (size >= 1e6) return trim(value / 1e6) + 'M';
  if (size >= 1e4) return trim(value / 1e3) + 'k';
  if (size !== 0 && size < 1e-3) return value.toExponential(2);
  return trim(value);
}

function trim(value) {
  return String(Number(Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(4)));
}

const whole = (value) => (typeof value === 'number' ? value.toLocaleString('en') : '–');

const milliseconds = (value) =>
  (Number.isFinite(value) ? `${value >= 100 ? Math.round(value) : Number(value.toPrecision(2))} ms` : '–');

// 1234567 -> "1.23 MB"
function byteText(value) {
  if (!Number.isFinite(value)) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  while (Math.abs(value) >= 1000 && i < 4) {
    value /= 1000;
    ++i;
  }
  return `${i ? value.toPrecision(3) : value} ${units[i]}`;
}

// 4000 -> "1 h 7 min"
function duration(seconds) {
  if (!Number.isFinite(seconds) || seconds < 0) return '–';
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString();
const date = (seconds) => new Date(seconds * 1000).toLocaleString();

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const mean = (numbers) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
