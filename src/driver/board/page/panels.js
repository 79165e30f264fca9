// The details of one run, in tabs.

const TABS = [
  {id: 'ranks', text: 'Ranks', panel: ranksPanel, live: true},
  {id: 'net', text: 'Net', panel: netPanel, details: true},
  {id: 'checkpoints', text: 'Checkpoints', panel: checkpointsPanel, details: true},
  {id: 'plan', text: 'Plan', panel: planPanel, details: true, live: true},
  {id: 'log', text: 'Log', panel: logPanel, details: true},
  {id: 'job', text: 'Job', panel: jobPanel, details: true},
];
const PANEL_MS = 2000;  // between two changes of a panel
let panel_mark = '';  // of what the panel shows
let panel_tab = '';   // its tab
let panel_at = 0;     // when it was made, by performance.now(); 0: it has nothing yet

function checkpointsPanel(run) {
  const list = Array.isArray(run.details.checkpoints) ? run.details.checkpoints : [];
  if (!list.length) return [make('p', {class: 'note'}, 'The workspace has no checkpoint yet.')];
  const state = (one) => (one.intact ? 'intact'
    : make('span', {class: 'bad'}, `damaged${one.error ? `: ${one.error}` : ''}`));
  const parts = [table('Checkpoints', [['Step', 'n'], ['Written', ''], ['Size', 'n'], ['State', '']],
    list.map((one) => [whole(one.step), date(one.time), byteText(one.bytes), state(one)]))];
  const newest = list.find((one) => Array.isArray(one.params));
  if (!newest) return parts;
  const values = newest.params.reduce((sum, param) => sum + sizeOf(param.shape), 0);
  parts.push(make('h3', {}, `Params in the checkpoint of step ${whole(newest.step)}`),
    make('p', {class: 'note'}, `${newest.params.length} params with ${whole(values)} values.`),
    table('Params', [['Param', ''], ['Shape', 'n'], ['Values', 'n']],
      newest.params.map((param) => [String(param.name), shapeText(param.shape), whole(sizeOf(param.shape))])));
  return parts;
}

const LEVELS = {W: 'warn', E: 'bad', F: 'bad'};

function logPanel(run) {
  const lines = Array.isArray(run.details.log) ? run.details.log : [];
  if (!lines.length) return [make('p', {class: 'note'}, 'The workspace has no log.')];
  const pre = make('pre', {class: 'log', tabindex: '0', 'aria-label': 'Last lines of the log'},
    ...lines.map((line) => make('span', {class: LEVELS[/^[WEF](?=\d{4})/.exec(line)?.[0]] || null}, `${line}\n`)));
  requestAnimationFrame(() => { pre.scrollTop = pre.scrollHeight; });
  return [make('p', {class: 'note'}, `The last ${lines.length} lines of ${run.details.log_file || 'the log'}.`), pre];
}

function jobPanel(run) {
  const {facts, details} = run;
  const rows = [['Job', facts.job ?? 'unknown'], ['Workspace', facts.path ?? '–'],
    ['Rows of metrics', whole(facts.rows)],
    ['Newest row', facts.time ? `step ${whole(facts.step)}, ${date(facts.time)}` : 'none']];
  return [make('dl', {class: 'facts'}, ...rows.flatMap(([name, value]) =>
      [make('dt', {}, name), make('dd', {}, String(value))])),
    details.conf ? make('pre', {class: 'conf', tabindex: '0', 'aria-label': 'Conf of the job'}, details.conf)
      : make('p', {class: 'note'}, 'The workspace does not have the conf of the job.')];
}

function makeTabs() {
  const buttons = TABS.map((tab, i) => make('button', {type: 'button', role: 'tab', id: `tab-${tab.id}`,
    'aria-controls': 'panel', click: () => openTab(tab.id), keydown: (event) => {
      const to = {ArrowRight: i + 1, ArrowLeft: i + TABS.length - 1, Home: 0, End: TABS.length - 1}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      buttons[to % TABS.length].focus();
      openTab(TABS[to % TABS.length].id);
    }}, tab.text));
  $('tabs').append(...buttons);
}

const openedTab = () => TABS.find((tab) => tab.id === settings.tab) || TABS[0];

function openTab(id) {
  settings.tab = id;
  keepSettings();
  updateDetails(true);
}

// Shows the opened tab of the chosen run again if it has changed; `asked`: a person asked for it.
function updateDetails(asked) {
  const tab = openedTab();
  for (const one of TABS) {
    const button = $(`tab-${one.id}`);
    button.setAttribute('aria-selected', String(one === tab));
    button.tabIndex = one === tab ? 0 : -1;
  }
  $('panel').setAttribute('aria-labelledby', `tab-${tab.id}`);
  $('about').hidden = !chosen;
  if (!chosen) return;
  setText($('about-title'), chosen.name);
  if (tab.details && asked) askForDetails();
  const mark = JSON.stringify([tab.id, chosen.number, tab.live ? chosen.version : 0,
    tab.details ? [chosen.details_version, chosen.details_error] : 0, tab.id === 'job' ? chosen.facts : 0]);
  if (mark === panel_mark) return;
  const now = performance.now();
  const same = panel_tab === tab.id;
  if (!asked && same && panel_at && now - panel_at < PANEL_MS) return;
  // The reader's place in the panel stays: what is selected, focused or scrolled.
  const panel = $('panel');
  const selected = document.getSelection();
  if (!asked && !selected.isCollapsed && panel.contains(selected.anchorNode)) return;
  const opened = new Set([...panel.querySelectorAll('details[open] > summary > b')].map((b) => b.textContent));
  const inner = panel.querySelector('.scroll, pre')?.scrollTop;
  const focused = panel !== document.activeElement && panel.contains(document.activeElement);
  if (focused && !asked && tab.id === 'net') return;
  panel_mark = mark;
  panel_tab = tab.id;
  panel_at = tab.details && !chosen.details ? 0 : now;
  panel.replaceChildren(...(tab.details && !chosen.details
    ? [make('p', {class: 'note'}, chosen.details_error || 'Loading.')] : tab.panel(chosen)));
  for (const b of panel.querySelectorAll('details > summary > b'))
    if (opened.has(b.textContent)) b.closest('details').open = true;
  const scroll = panel.querySelector('.scroll, pre');
  if (scroll && same && tab.id !== 'log') scroll.scrollTop = inner || 0;
  if (focused && same && scroll) scroll.focus({preventScroll: true});
}
