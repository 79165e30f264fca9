// Which charts there are, and the lines of each, from the rows of the runs.

const PHASES = ['train', 'test', 'validate'];
const PHASE_TEXT = {train: 'training', test: 'test', validate: 'validation'};

// Charts of numbers that rows have beside their metrics. Each field has the word for its line. An exact
// chart is not smoothed.
const VALUE_CHARTS = [
  {title: 'Learning rate', fields: {lr: ''}, exact: true},
  {title: 'Samples per second', fields: {samples_per_second: ''}},
  {title: 'Time of a step (ms)', fields: {step_ms: '', predicted_step_ms: 'predicted'}},
];
const MORE_CHARTS = [
  {title: 'Wait for data (ms)', fields: {data_wait_ms: ''}},
  {title: 'Bytes sent between two rows', fields: {bytes_sent: ''}},
  {title: 'Memory (MB)', fields: {memory_mb: '', predicted_memory_mb: 'predicted'}, exact: true},
  {title: 'Norm of the gradient', fields: {grad_norm: ''}},
  {title: 'Staleness of updates', fields: {staleness_mean: 'mean', staleness_max: 'largest'}, exact: true},
];
const NO_CHART = ['epoch', 'bad_records', 'staleness', 'time', 'step', 'group', 'rank', 'pid', 'workers', 'rows'];

const shownRuns = () => [...runs.values()].filter((run) => run.shown);

function namesOf(field) {
  const names = new Set();
  for (const run of shownRuns())
    for (const name of run.facts[field] || []) if (typeof name === 'string') names.add(name);
  return [...names];
}

// The charts that the shown runs have rows for: {title, fields, metric, more, exact}.
function chartList() {
  const metrics = namesOf('metrics');
  const order = (name) => (name === 'loss' ? 0 : name === 'accuracy' ? 1 : 2);
  metrics.sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
  const charts = metrics.map((name) => ({title: name, fields: {[name]: ''}, metric: true}));
  const values = new Set(namesOf('values'));
  const known = (chart) => Object.keys(chart.fields).some((field) => values.has(field));
  charts.push(...VALUE_CHARTS.filter(known));
  charts.push(...MORE_CHARTS.filter(known).map((chart) => ({...chart, more: true})));
  for (const chart of [...VALUE_CHARTS, ...MORE_CHARTS])
    for (const field of Object.keys(chart.fields)) values.delete(field);
  for (const name of NO_CHART) values.delete(name);
  for (const name of values) charts.push({title: name, fields: {[name]: ''}, more: true});
  return charts;
}

// The place of a row on the horizontal axis; null if unknown.
function xOf(run, row) {
  if (settings.axis === 'time') return row.time - run.start;
  return settings.axis === 'epoch' ? run.epochOf(row.step) : row.step;
}

function curveOf(run, rows, field) {
  const points = [];
  for (const row of rows) {
    const y = numberOf(row[field]);
    const x = y === null ? null : xOf(run, row);
    if (x !== null) points.push([x, y]);
  }
  // A clock may go back, and a resumed job repeats steps.
  if (points.some((point, i) => i && point[0] < points[i - 1][0])) points.sort((a, b) => a[0] - b[0]);
  return {xs: points.map((point) => point[0]), ys: points.map((point) => point[1])};
}

// The lines of a chart: {run, phase, group, layer, word, curve, text, hue}.
function linesOf(chart) {
  const lines = [];
  for (const run of shownRuns())
    for (const series of run.series.values()) {
      if (!PHASES.includes(series.phase)) continue;
      if (!chart.metric && run.layers.get(series.group) !== series.layer) continue;
      for (const [field, word] of Object.entries(chart.fields)) {
        const curve = curveOf(run, series.rows, field);
        if (curve.xs.length)
          lines.push({run, phase: series.phase, group: series.group, layer: series.layer, word, curve});
      }
    }
  lines.sort((a, b) => a.run.number - b.run.number || a.group - b.group ||
             PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase));
  describe(lines);
  return lines;
}

// Gives each line its text, of the words in which the lines of its run differ, and its hue: runs
// differ in it, or else the groups, or else the layers, or else the phases.
function describe(lines) {
  const several_runs = shownRuns().length > 1;
  for (const run of shownRuns()) {
    const own = lines.filter((line) => line.run === run);
    const list = (key) => [...new Set(own.map((line) => line[key]))];
    const groups = list('group'), layers = list('layer'), phases = list('phase'), words = list('word');
    for (const line of own) {
      const parts = several_runs ? [run.name] : [];
      if (phases.length > 1 || !several_runs) parts.push(PHASE_TEXT[line.phase]);
      if (layers.length > 1) parts.push(line.layer);
      if (groups.length > 1) parts.push(`group ${line.group}`);
      if (words.length > 1) parts.push(line.word || 'measured');
      line.text = parts.join(' · ');
      if (several_runs) line.hue = run.number;
      else if (groups.length > 1) line.hue = groups.indexOf(line.group);
      else if (layers.length > 1) line.hue = layers.indexOf(line.layer);
      else line.hue = phases.indexOf(line.phase) + words.indexOf(line.word);
    }
  }
}
