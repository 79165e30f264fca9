// Settings, shortcuts, and the start.

const THEMES = ['system', 'light', 'dark'];
const AXES = ['step', 'time', 'epoch'];

function showTheme() {
  const root = document.documentElement;
  if (settings.theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
  setText($('theme'), `Theme: ${settings.theme}`);
  colors = null;
  redraw();
}

function nextTheme() {
  settings.theme = THEMES[(THEMES.indexOf(settings.theme) + 1) % THEMES.length];
  showTheme();
  keepSettings();
}

function showSettings() {
  for (const radio of document.querySelectorAll('input[name="axis"]'))
    radio.checked = radio.value === settings.axis;
  $('log').checked = settings.log;
  $('smooth').value = settings.smooth;
  setText($('smooth-value'), settings.smooth > 0 ? settings.smooth.toFixed(2) : 'off');
}

function change(name, value) {
  if (name === 'axis' && value !== settings.axis) {
    settings.axis = value;
    cursor = null;
    zoom = null;
    setZoom(null);
  }
  settings[name] = value;
  keepSettings();
  showSettings();
  redraw();
}

function nextRun() {
  const all = [...runs.values()];
  if (all.length) choose(all[(all.indexOf(chosen) + 1) % all.length]);
}

const KEYS = [
  ['x', 'Next horizontal axis: steps, time, epochs',
   () => change('axis', AXES[(AXES.indexOf(settings.axis) + 1) % AXES.length])],
  ['l', 'Log scale on or off', () => change('log', !settings.log)],
  ['[', 'Less smoothing', () => change('smooth', Math.max(0, Math.round(settings.smooth * 10 - 1) / 10))],
  [']', 'More smoothing', () => change('smooth', Math.min(0.9, Math.round(settings.smooth * 10 + 1) / 10))],
  ['0', 'Show all steps', () => setZoom(null)],
  ['n', 'Details of the next run', nextRun],
  ['1–6', 'Ranks, net, checkpoints, plan, log, job', null],
  ['t', 'Theme: system, light, dark', nextTheme],
  ['?', 'These shortcuts', () => $('keys').showModal()],
];
const CHART_KEYS = [['← →', 'In a chart: move the cursor, with Shift faster'], ['+ −', 'In a chart: zoom']];

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
  if (event.target.closest('input:not([type=checkbox],[type=radio],[type=range]), textarea')) return;
  const tab = TABS[Number(event.key) - 1];
  const key = KEYS.find(([name]) => name === event.key);
  if (tab) {
    openTab(tab.id);
    $('about').scrollIntoView({block: 'nearest'});
  } else if (key) {
    key[2]();
  } else {
    return;
  }
  event.preventDefault();
}

function start() {
  loadSettings();
  showSettings();
  showTheme();
  makeTabs();
  $('keys-list').append(...[...KEYS, ...CHART_KEYS].flatMap(([name, text]) =>
    [make('dt', {}, make('kbd', {}, name)), make('dd', {}, text)]));
  for (const radio of document.querySelectorAll('input[name="axis"]'))
    radio.addEventListener('change', () => change('axis', radio.value));
  $('log').addEventListener('change', () => change('log', $('log').checked));
  $('smooth').addEventListener('input', () => change('smooth', Number($('smooth').value)));
  $('controls').addEventListener('submit', (event) => event.preventDefault());
  $('whole').addEventListener('click', () => setZoom(null));
  $('theme').addEventListener('click', nextTheme);
  $('help').addEventListener('click', () => $('keys').showModal());
  $('retry').addEventListener('click', poll);
  $('more').open = settings.more;
  $('more').addEventListener('toggle', () => change('more', $('more').open));
  document.addEventListener('keydown', onKey);
  document.addEventListener('visibilitychange', () => { if (!document.hidden) poll(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', showTheme);
  updateDetails(false);
  poll();
}

start();
