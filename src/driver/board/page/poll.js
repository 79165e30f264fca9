// Asks the server for news: twice a second while a run goes on and somebody looks, else every five
// seconds, and after an error more and more seldom.

const LIVE_MS = 500, REST_MS = 5000, DETAILS_MS = 5000;
const FIRST_RETRY_MS = 1000, LAST_RETRY_MS = 30000, ANSWER_MS = 15000;

let timer = 0;
let failures = 0;       // in a row
let polling = false;
let asking = false;     // for the details

async function ask(path) {
  const answer = await fetch(path, {signal: AbortSignal.timeout(ANSWER_MS), cache: 'no-store'});
  let body = null;
  try {
    body = await answer.json();
  } catch (error) {
    if (answer.ok) throw new Error('The answer is no JSON');
  }
  if (!answer.ok) throw new Error(body?.error || `HTTP ${answer.status}`);
  return body;
}

// Whether the server has rows that the page has not. Their number and the newest one tell.
function marksOf(run) {
  const {rows, step, time} = run.facts;
  return JSON.stringify([rows, step, time]);
}

async function askForRows(run) {
  const marks = marksOf(run);
  if (run.seen === marks || run.facts.error) return false;
  const file = run.generation === null ? '' : `&generation=${run.generation}`;
  const answer = await ask(`api/rows?run=${run.number}&after=${run.next}${file}&most=${SERIES_ROWS}`);
  if (answer.reset) run.clear();
  run.thinned = run.thinned || answer.thinned;
  run.add(answer.rows);
  run.next = answer.next;
  run.generation = answer.generation ?? null;
  run.seen = run.next < run.facts.rows ? null : marks;  // rows that are too many for one answer
  return answer.rows.length > 0 || answer.reset;
}

async function askForDetails() {
  if (asking || !chosen) return;
  asking = true;
  const run = chosen;
  try {
    const details = await ask(`api/run?run=${run.number}`);
    const text = JSON.stringify(details);
    if (text !== run.details_text) run.details_version = (run.details_version || 0) + 1;
    run.details_text = text;
    run.details = details;
    run.details_error = '';
  } catch (error) {
    run.details_error = `The details cannot be read: ${error.message}.`;
  }
  run.details_at = performance.now();
  asking = false;
  updateDetails(false);
}

async function poll() {
  if (polling) return;  // else rows would come twice
  polling = true;
  try {
    const {runs: list} = await ask('api/runs');
    const news = takeRuns(list);
    // The chosen run's rows are for the ranks even where its curves are not drawn.
    const rows = await Promise.all([...runs.values()].map(askForRows));
    succeed();
    if (news || rows.includes(true)) {
      for (const run of runs.values()) updateCard(run);
      updateCharts(false);
    }
    updateDetails(false);
    const old = !chosen?.details_at || performance.now() - chosen.details_at > DETAILS_MS;
    const wanted = chosen && openedTab().details && (chosen.facts.live || !chosen.details);
    if (wanted && old && !document.hidden) askForDetails();
  } catch (error) {
    fail(error);
  }
  polling = false;
  schedule();
}

function schedule() {
  clearTimeout(timer);
  const live = [...runs.values()].some((run) => run.facts.live);
  const retry = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
  timer = setTimeout(poll, failures ? retry : live && !document.hidden ? LIVE_MS : REST_MS);
}

function fail(error) {
  ++failures;
  const retry = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
  const why = error instanceof TypeError ? 'It may have ended' : error.message;
  setText($('error-text'), `The server does not answer: ${why}. The next try is in ${duration(retry / 1000)}.`);
  $('error').hidden = false;
  setText($('status'), 'No connection');
}

function succeed() {
  failures = 0;
  $('error').hidden = true;
  const live = [...runs.values()].filter((run) => run.facts.live);
  const text = !runs.size ? 'No runs'
    : live.length ? `${live.length === 1 ? '1 run' : `${live.length} runs`} in progress` : 'No run in progress';
  setText($('status'), text);
  const share = live.length ? shareDone(live[0]) : null;
  document.title = share === null ? 'SINGA board' : `${Math.floor(100 * share)} % ${live[0].name}`;
}
