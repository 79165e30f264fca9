// What the processes of a job do in a step, how stale the updates of worker groups are, and how long
// a step was predicted to take.

const NEWEST = 10;  // rows of each process whose mean is shown
const PARTS = [['compute_ms', 'Compute', 'compute'], ['sync_wait_ms', 'Wait for others', 'wait'],
               ['data_wait_ms', 'Wait for data', 'data']];

// The processes of a run by their ranks, with the means of their newest rows.
function processesOf(run) {
  const found = [];
  for (const series of run.series.values()) {
    if (series.phase !== 'process' || !series.rows.length) continue;
    const rows = series.rows.slice(-NEWEST);
    const process = {...rows[rows.length - 1]};
    for (const name of ['step_ms', ...PARTS.map(([field]) => field)]) {
      const numbers = rows.map((row) => row[name]).filter(Number.isFinite);
      process[name] = numbers.length ? mean(numbers) : NaN;
    }
    const steps = process.step - rows[0].step;  // a row has the bytes since the row before
    for (const name of ['bytes_sent', 'bytes_received'])
      process[name] = steps > 0 ? rows.slice(1).reduce((sum, row) => sum + row[name], 0) / steps : NaN;
    found.push(process);
  }
  return found.sort((a, b) => a.rank - b.rank || a.group - b.group);
}

// A sentence about the process that works longest in a step. Its work is all but its wait for others.
function slowestText(processes) {
  if (processes.length < 2) return '';
  const work = processes.map((one) => one.step_ms - (one.sync_wait_ms || 0));
  const middle = median(work);
  const slowest = work.indexOf(Math.max(...work));
  const more = work[slowest] - middle;
  if (!Number.isFinite(more)) return '';
  const {rank, host} = processes[slowest];
  const name = `Rank ${rank} on ${host}`;
  if (more < 0.05 * middle) return `All ranks work equally long. The median is ${milliseconds(middle)} a step.`;
  const why = (processes[slowest].data_wait_ms || 0) > 0.5 * more ? ' It waits for data.' : '';
  const waits = processes.every((one) => one.group === processes[0].group) ? ' The others wait for it.' : '';
  return `${name} is ${milliseconds(more)} slower than the median (${milliseconds(work[slowest])} and ` +
         `${milliseconds(middle)} of work a step).${waits}${why}`;
}

function partBar(process, longest) {
  const parts = PARTS.map(([field, , kind]) =>
    make('i', {class: kind, style: `width:${100 * Math.max(0, process[field] || 0) / longest}%`}));
  return make('span', {class: 'bar', role: 'img',
    'aria-label': PARTS.map(([field, text]) => `${text} ${milliseconds(process[field])}`).join(', ')}, ...parts);
}

function processTable(processes) {
  const longest = Math.max(1e-9, ...processes.map((one) => one.step_ms || 0));
  const head = [['Rank', 'n'], ['Host', ''], ['Step', 'n'], ['Parts of a step', 'wide'], ['Compute', 'n'],
    ['Wait for others', 'n'], ['Wait for data', 'n'], ['Sent a step', 'n'], ['Received a step', 'n'], ['Memory', 'n']];
  const rows = processes.map((one) => [String(one.rank), String(one.host), milliseconds(one.step_ms),
    partBar(one, longest), milliseconds(one.compute_ms), milliseconds(one.sync_wait_ms),
    milliseconds(one.data_wait_ms), byteText(Math.round(one.bytes_sent)), byteText(Math.round(one.bytes_received)),
    one.memory_mb === undefined ? '–' : byteText(one.memory_mb * 1e6)]);
  return table('Processes of the job', head, rows);
}

function stalenessPart(run) {
  const total = run.staleness.reduce((sum, n) => sum + (n || 0), 0);
  if (!total) return [];
  const counts = Array.from(run.staleness, (n) => n || 0);
  const largest = Math.max(...counts);
  const bars = counts.map((n, i) => make('li', {}, make('span', {}, String(i)),
    make('span', {class: 'bar'}, make('i', {class: 'compute', style: `width:${100 * n / largest}%`})),
    make('span', {}, `${(100 * n / total).toFixed(1)} % (${whole(n)})`)));
  const mean_of = counts.reduce((sum, n, i) => sum + n * i, 0) / total;
  return [make('h3', {}, 'Staleness'),
    make('p', {class: 'note'}, `Updates by the versions that came between the values and the update: ` +
      `mean ${short(mean_of)}, largest ${counts.length - 1}` +
      (run.thinned ? ', in the rows that this page has.' : '.')),
    make('ol', {class: 'histogram'}, ...bars)];
}

function ranksPanel(run) {
  const processes = processesOf(run);
  const parts = [];
  if (processes.length)
    parts.push(make('p', {class: 'finding'}, slowestText(processes)),
      barKeys(PARTS.map(([, text, kind]) => [text, kind])), processTable(processes),
      make('p', {class: 'note'}, `Means of the last ${NEWEST} rows of each process.`));
  else
    parts.push(make('p', {class: 'note'}, 'This job has one process, so it has no rows of processes.'));
  return [...parts, ...stalenessPart(run)];
}

// Two bars, of a predicted and a measured number, on one scale.
function comparison(title, predicted, measured, text) {
  if (!Number.isFinite(predicted) || !Number.isFinite(measured)) return [];
  const longest = Math.max(predicted, measured, 1e-9);
  const bar = (name, value, kind) => make('li', {}, make('span', {}, name),
    make('span', {class: 'bar'}, make('i', {class: kind, style: `width:${100 * value / longest}%`})),
    make('span', {}, text(value)));
  const off = 100 * (measured / predicted - 1);
  return [make('h3', {}, title),
    make('ul', {class: 'histogram named'}, bar('Predicted', predicted, 'backward'),
      bar('Measured', measured, 'compute')),
    make('p', {class: 'note'}, `The measured number is ${Math.abs(off).toFixed(0)} % ` +
      `${off < 0 ? 'below' : 'above'} the prediction.`)];
}

function planPanel(run) {
  const newest = run.last('train', 'predicted_step_ms');
  const memory = run.last('train', 'predicted_memory_mb');
  const parts = [
    ...comparison('Time of a step', newest?.predicted_step_ms, newest?.step_ms, milliseconds),
    ...comparison('Memory', memory?.predicted_memory_mb, memory?.memory_mb, (mb) => byteText(mb * 1e6))];
  const {plan} = run.details;
  if (plan && Array.isArray(plan.layers)) {
    const facts = Object.entries(plan).filter(([, value]) => typeof value !== 'object');
    parts.push(make('h3', {}, 'Division of layers'),
      make('dl', {class: 'facts'}, ...facts.flatMap(([name, value]) =>
        [make('dt', {}, name), make('dd', {}, typeof value === 'number' ? short(value) : String(value))])),
      table('Division of layers', [['Layer', ''], ['Workers by rows', 'n'], ['Workers by units', 'n']],
        plan.layers.map((layer) => [String(layer.name), String(layer.rows), String(layer.units)])));
  }
  if (!parts.length)
    parts.push(make('p', {class: 'note'}, 'This job has no plan. Rows have a predicted time of a step with ' +
      'partition: kAuto, or after singa plan planned the job.'));
  return parts;
}
