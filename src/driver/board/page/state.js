// What the page knows: the settings of the reader, and the rows of each run.

const SERIES_ROWS = 2000;    // rows of one series that the page keeps, at most about twice as many
const KEPT = ['axis', 'log', 'smooth', 'tab', 'theme', 'more'];

const settings = {axis: 'step', log: false, smooth: 0.6, tab: 'ranks', theme: 'system', more: false};
const runs = new Map();      // by number: Run
let chosen = null;           // the run whose details are shown

function loadSettings() {
  try {
    const kept = JSON.parse(localStorage.getItem('singa-board')) || {};
    for (const name of KEPT)
      if (typeof kept[name] === typeof settings[name]) settings[name] = kept[name];
  } catch (error) {
    // A browser may forbid storage, or another page may have written it.
  }
  settings.smooth = Math.min(0.99, Math.max(0, settings.smooth));
}

function keepSettings() {
  try {
    localStorage.setItem('singa-board', JSON.stringify(settings));
  } catch (error) {
    // The settings hold until the page is closed.
  }
}

// Run is one workspace: what the server says of it, and its rows by series.
class Run {
  constructor(number) {
    this.number = number;
    this.shown = true;      // its curves are drawn
    this.facts = {};        // of /api/runs
    this.details = null;    // of /api/run
    this.clear();
  }

  clear() {
    this.next = 0;          // where the next rows begin, for the server
    this.generation = null; // the server's name for the file of rows
    this.seen = null;       // marks of the rows that the page has
    this.series = new Map();
    this.version = (this.version || 0) + 1;  // changes with the rows
    this.start = null;      // time of the first row
    this.epochs = [];       // [step, epoch] of train rows
    this.bad_records = 0;
    this.staleness = [];    // updates by their staleness
    this.layers = new Map();  // by group: the layer of its first train row; the rows of the others
                              // repeat its times and staleness
  }

  get name() {
    return String(this.facts.name ?? `run ${this.number}`);
  }

  add(rows) {
    for (const row of rows) {
      if (typeof row !== 'object' || row === null || typeof row.step !== 'number') continue;
      const key = JSON.stringify([row.phase, row.group, row.layer, row.rank ?? null]);
      let series = this.series.get(key);
      if (!series) {
        series = {phase: row.phase, group: row.group, layer: row.layer, rank: row.rank, rows: []};
        this.series.set(key, series);
      }
      series.rows.push(row);
      this.note(row);
    }
    for (const series of this.series.values())
      if (series.rows.length > 2 * SERIES_ROWS) series.rows = thinned(series.rows, SERIES_ROWS);
    if (rows.length) ++this.version;
  }

  note(row) {
    if (this.start === null || row.time < this.start) this.start = row.time;
    if (row.bad_records > this.bad_records) this.bad_records = row.bad_records;
    if (row.phase !== 'train') return;
    if (!this.layers.has(row.group)) this.layers.set(row.group, row.layer);
    if (this.layers.get(row.group) !== row.layer) return;
    const last = this.epochs[this.epochs.length - 1];
    if (typeof row.epoch === 'number' && (!last || row.step > last[0]))
      this.epochs.push([row.step, row.epoch]);
    if (this.epochs.length > 2 * SERIES_ROWS) this.epochs = this.epochs.filter((_, i) => i % 2 === 0);
    if (Array.isArray(row.staleness))
      row.staleness.forEach((n, i) => { this.staleness[i] = (this.staleness[i] || 0) + n; });
  }

  // The newest row of a phase; with `field`, the newest that has it.
  last(phase, field) {
    let found = null;
    for (const series of this.series.values()) {
      if (series.phase !== phase) continue;
      for (let i = series.rows.length - 1; i >= 0; --i) {
        const row = series.rows[i];
        if (field && row[field] === undefined) continue;
        if (!found || row.step > found.step) found = row;
        break;
      }
    }
    return found;
  }

  // Passes over the training store after `step`, between those of the nearest rows; null if unknown.
  epochOf(step) {
    const known = this.epochs;
    if (!known.length) return null;
    let low = 0, high = known.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (known[middle][0] < step) low = middle + 1;
      else high = middle;
    }
    const [b, epoch_b] = known[low];
    if (b === step || known.length === 1) return epoch_b;
    const [a, epoch_a] = known[Math.max(0, low - 1)];
    if (a === b) return epoch_b;
    return epoch_a + (epoch_b - epoch_a) * (step - a) / (b - a);
  }
}

// The least and the largest loss of each stretch of rows, and the newest row.
function thinned(rows, most) {
  const width = Math.ceil(2 * rows.length / most);
  const kept = [];
  for (let from = 0; from < rows.length; from += width) {
    let low = from, high = from;
    const end = Math.min(rows.length, from + width);
    for (let i = from + 1; i < end; ++i) {
      if (rows[i].loss < rows[low].loss) low = i;
      if (!(rows[i].loss <= rows[high].loss)) high = i;
    }
    kept.push(rows[Math.min(low, high)]);
    if (low !== high) kept.push(rows[Math.max(low, high)]);
  }
  if (kept[kept.length - 1] !== rows[rows.length - 1]) kept.push(rows[rows.length - 1]);
  return kept;
}
