// The runs at the head of the page: which are drawn, how far they are, and which one is described.

const cards = new Map();  // by number of the run: the parts of its card

function phaseValue(run, phase) {
  const row = run.last(phase);
  if (!row) return '';
  const names = (run.facts.metrics || []).filter((name) => row[name] !== undefined);
  names.sort((a, b) => (b === 'loss') - (a === 'loss'));
  const texts = names.slice(0, 2).map((name) => `${name} ${short(row[name])}`);
  return texts.length ? `${PHASE_TEXT[phase]} ${texts.join(', ')}` : '';
}

// Seconds until the last step, by the newest steps; null if unknown.
function secondsLeft(run) {
  const {live, train_steps, step} = run.facts;
  const row = run.last('train', 'step_ms');
  if (!live || !Number.isFinite(train_steps) || !row || !Number.isFinite(row.step_ms)) return null;
  return Math.max(0, train_steps - step - 1) * row.step_ms / 1000;
}

function stepText(run) {
  const {step, train_steps} = run.facts;
  if (typeof step !== 'number') return 'no step yet';
  return Number.isFinite(train_steps) ? `step ${whole(step)} of ${whole(train_steps)}` : `step ${whole(step)}`;
}

// The share of the steps that are done, from 0 to 1; null if unknown.
function shareDone(run) {
  const {step, train_steps} = run.facts;
  if (typeof step !== 'number' || !(train_steps > 0)) return null;
  return Math.min(1, (step + 1) / train_steps);
}

function warningsOf(run) {
  const {error, malformed} = run.facts;
  const texts = [];
  if (error) texts.push(String(error));
  if (malformed) texts.push(`${whole(malformed)} lines of metrics.jsonl are no rows`);
  if (run.bad_records) texts.push(`${whole(run.bad_records)} records were skipped`);
  const row = run.last('train');
  if (row && (run.facts.metrics || []).some((name) => Number.isNaN(numberOf(row[name]))))
    texts.push('the newest metrics are not finite');
  return texts.join('; ');
}

function makeCard(run) {
  const parts = {};
  parts.box = make('input', {type: 'checkbox', change: (event) => {
    run.shown = event.target.checked;
    updateCharts(true);
  }});
  parts.swatch = make('span', {class: `hue hue${run.number % HUES}`, 'aria-hidden': 'true'});
  parts.name = make('span', {class: 'name'});
  parts.state = make('span', {class: 'state'});
  parts.bar = make('progress', {max: '1', 'aria-label': 'Steps done'});
  parts.step = make('span', {});
  parts.left = make('span', {class: 'left'});
  parts.train = make('p', {class: 'values'});
  parts.test = make('p', {class: 'values'});
  parts.warning = make('p', {class: 'warning', hidden: true});
  parts.details = make('button', {type: 'button', click: () => choose(run)}, 'Details');
  parts.card = make('li', {class: 'run'},
    make('div', {class: 'run-head'}, make('label', {class: 'check'}, parts.box, parts.swatch, parts.name),
      parts.state),
    parts.bar, make('p', {class: 'steps'}, parts.step, parts.left), parts.train, parts.test,
    parts.warning, parts.details);
  return parts;
}

function updateCard(run) {
  let parts = cards.get(run.number);
  if (!parts) {
    parts = makeCard(run);
    cards.set(run.number, parts);
    $('runs').append(parts.card);
  }
  parts.box.checked = run.shown;
  setText(parts.name, run.name);
  parts.name.title = String(run.facts.path ?? '');
  setText(parts.state, run.facts.live ? 'running' : 'not running');
  parts.state.classList.toggle('live', Boolean(run.facts.live));
  const share = shareDone(run);
  parts.bar.hidden = share === null;
  if (share !== null) parts.bar.value = share;
  setText(parts.step, stepText(run));
  const left = secondsLeft(run);
  const ended = !run.facts.live && run.facts.time ? `last row ${date(run.facts.time)}` : '';
  setText(parts.left, left === null ? ended : `${duration(left)} left`);
  setText(parts.train, phaseValue(run, 'train'));
  setText(parts.test, phaseValue(run, 'test') || phaseValue(run, 'validate'));
  const warning = warningsOf(run);
  setText(parts.warning, warning);
  parts.warning.hidden = !warning;
  parts.details.hidden = runs.size < 2;
  parts.details.setAttribute('aria-pressed', String(run === chosen));
  parts.details.setAttribute('aria-label', `Details of ${run.name}`);
}

// Shows the details of `run` below the charts.
function choose(run) {
  chosen = run;
  for (const one of runs.values()) updateCard(one);
  updateDetails(true);
}

// Takes the answer of /api/runs. Returns whether the list has changed.
function takeRuns(list) {
  let changed = false;
  const there = new Set();
  for (const facts of list) {
    there.add(facts.run);
    let run = runs.get(facts.run);
    if (!run) {
      run = new Run(facts.run);
      run.shown = runs.size < HUES;
      runs.set(facts.run, run);
    }
    const text = JSON.stringify(facts);
    changed = changed || run.text !== text;
    run.text = text;
    run.facts = facts;
  }
  for (const number of [...runs.keys()])
    if (!there.has(number)) {
      runs.delete(number);
      cards.get(number)?.card.remove();
      cards.delete(number);
      changed = true;
    }
  if (!chosen || !runs.has(chosen.number)) {
    chosen = [...runs.values()].find((run) => run.facts.live) || runs.values().next().value || null;
    changed = true;
  }
  return changed;
}
