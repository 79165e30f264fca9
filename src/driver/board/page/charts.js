// The charts: dygraphs draws the lines; legends and the cursor are our own.

const HUES = 8;
const DASHES = {train: null, test: [6, 3], validate: [2, 3]};
const dashOf = (word, phase) => (word === 'predicted' || word === 'largest' ? [3, 3] : DASHES[phase]);
const AXIS_TEXT = {step: 'step', time: 'time', epoch: 'epoch'};

const charts = new Map();  // by title: Chart
let zoom = null;           // [least, largest] x that all charts show; null: all
let cursor = null;         // x at which legends show values; null: the newest values
let colors = null;         // of the theme, read from the style sheet

function themeColors() {
  if (colors) return colors;
  const probe = make('span', {hidden: true});
  document.body.append(probe);
  const value = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;  // rgb(29, 99, 201)
  };
  colors = {hues: Array.from({length: HUES}, (_, i) => value(`--hue${i}`)), grid: value('--grid'),
            axis: value('--axis')};
  probe.remove();
  return colors;
}

const pale = (color) => color.replace('rgb(', 'rgba(').replace(')', ', 0.28)');
const hueOf = (i) => themeColors().hues[((i % HUES) + HUES) % HUES];

function xText(x) {
  if (settings.axis === 'epoch') return short(Number(x.toPrecision(6)));
  if (settings.axis === 'step') return Number.isInteger(x) ? short(x) : '';
  const seconds = Math.round(Math.abs(x));
  const two = (n) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = two(seconds % 60);
  const minutes = Math.floor(seconds / 60) % 60;
  return (x < 0 ? '-' : '') + (hours ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`);
}

class Chart {
  constructor(facts) {
    this.facts = facts;
    this.graph = null;
    this.lines = [];
    this.visible = false;
    this.dirty = true;      // its lines may have changed
    this.forced = true;     // it must be drawn again, even if they have not
    this.drawn = [];        // of each line that is drawn: its text, and its last x
    this.at = make('span', {class: 'at'});
    this.plot = make('div', {class: 'plot', tabindex: '0', role: 'group', keydown: (e) => this.key(e),
      blur: () => setCursor(null),
      'aria-label': `Chart of ${facts.title}. Left and right move the cursor, plus and minus zoom.`});
    this.line = make('div', {class: 'cursor', hidden: true});
    this.legend = make('ul', {class: 'legend'});
    this.element = make('figure', {class: 'chart'},
      make('figcaption', {}, make('h3', {}, facts.title), this.at),
      make('div', {class: 'frame'}, this.plot, this.line), this.legend);
    this.watch = new IntersectionObserver((entries) => {
      this.visible = entries[entries.length - 1].isIntersecting;
      this.draw();
    }, {rootMargin: '200px'});
    this.watch.observe(this.element);
  }

  close() {
    this.watch.disconnect();
    if (this.graph) this.graph.destroy();
    this.element.remove();
  }

  // Draws if the chart is in view and its lines have changed by half a pixel or more.
  draw() {
    if (!this.dirty || !this.visible || !this.plot.clientWidth) return;
    this.dirty = false;
    this.lines = linesOf(this.facts);
    for (const line of this.lines) {
      const smooth = settings.smooth > 0 && !this.facts.exact && line.word !== 'predicted';
      line.smooth = smooth && line.phase === 'train';
      line.seen = !line.smooth ? line.curve
        : {xs: line.curve.xs, ys: smoothed(line.curve.ys, settings.smooth)};
    }
    if (this.forced || this.hasChanged()) this.drawLines();
    this.forced = false;
    this.showLegend();
  }

  // Whether the lines differ from the drawn ones, other than by a piece that is too short to see.
  hasChanged() {
    if (!this.graph || this.drawn.length !== this.lines.length) return true;
    const [low, high] = this.graph.xAxisRange();
    const least = (high - low) / this.plot.clientWidth / 2;
    return this.lines.some((line, i) => {
      const old = this.drawn[i];
      const more = line.curve.xs[line.curve.xs.length - 1] - old.last;
      return line.text !== old.text || !(more >= 0 && more < least) || (more > 0 && line.phase !== 'train');
    });
  }

  drawLines() {
    const curves = [], labels = ['x'], series = {};
    const add = (xs, ys, style) => {
      const label = `line ${labels.length}`;
      labels.push(label);
      const seen = settings.log ? ys.map((y) => (y > 0 ? y : NaN)) : ys;
      curves.push(fewer(within({xs, ys: seen}, zoom), this.plot.clientWidth));
      series[label] = style;
    };
    for (const {curve, seen, hue, word, phase, smooth} of this.lines) {
      const color = hueOf(hue);
      if (smooth) add(curve.xs, curve.ys, {color: pale(color), strokeWidth: 1, highlightCircleSize: 0});
      add(curve.xs, seen.ys, {color, strokeWidth: 1.75, strokePattern: dashOf(word, phase),
          pointSize: 2.5, drawPoints: phase !== 'train' || curve.xs.length === 1, highlightCircleSize: 3.5});
    }
    this.drawn = this.lines.map(({text, curve}) => ({text, last: curve.xs[curve.xs.length - 1]}));
    this.show(joined(curves), labels, series);
  }

  show(rows, labels, series) {
    this.plot.style.visibility = rows.length ? '' : 'hidden';  // it keeps its width
    if (!rows.length) return;
    const {grid, axis} = themeColors();
    // Numbers that are all zero have no log scale.
    const logscale = settings.log && this.lines.some((line) => line.curve.ys.some((y) => y > 0));
    const options = {file: rows, labels, series, dateWindow: zoom, logscale, gridLineColor: grid,
      axisLineColor: axis};
    if (this.graph) {
      this.graph.updateOptions(options);
      return;
    }
    const model = Dygraph.defaultInteractionModel;
    delete options.file;
    this.graph = new Dygraph(this.plot, rows, {...options, legend: 'never', connectSeparatedPoints: true,
      // Without touches: a finger scrolls the page.
      interactionModel: {mousedown: model.mousedown, dblclick: model.dblclick,
                         willDestroyContextMyself: true},
      highlightCallback: (event, x) => setCursor(x),
      unhighlightCallback: () => setCursor(null),
      zoomCallback: (low, high) => setZoom(this.graph.isZoomed('x') ? [low, high] : null),
      axes: {x: {axisLabelFormatter: xText, pixelsPerLabel: 70},
             y: {axisLabelFormatter: (y) => short(Number(y.toPrecision(6))), axisLabelWidth: 52}}});
  }

  showLegend() {
    const mark = JSON.stringify(this.lines.map((line) => [line.text, hueOf(line.hue), line.word, line.phase]));
    if (mark === this.legend_mark) {
      this.showCursor();
      return;
    }
    this.legend_mark = mark;
    this.values = [];
    this.legend.replaceChildren(...this.lines.map((line) => {
      const dash = (dashOf(line.word, line.phase) || []).join(' ');
      const value = make('b', {});
      this.values.push(value);
      const swatch = makeSvg('svg', {class: 'swatch', viewBox: '0 0 20 6', 'aria-hidden': 'true'},
        makeSvg('line', {x1: 0, y1: 3, x2: 20, y2: 3, stroke: hueOf(line.hue), 'stroke-width': 2.5,
                         'stroke-dasharray': dash}));
      return make('li', {title: line.text}, swatch, make('span', {}, line.text), value);
    }));
    this.showCursor();
  }

  showCursor() {
    if (!this.graph || !this.values) return;
    const [low, high] = this.graph.xAxisRange();
    const inside = cursor !== null && cursor >= low && cursor <= high;
    this.line.hidden = !inside;
    if (inside) this.line.style.transform = `translateX(${this.graph.toDomXCoord(cursor)}px)`;
    setText(this.at, inside ? `${AXIS_TEXT[settings.axis]} ${xText(cursor)}` : '');
    this.lines.forEach((line, i) => {
      const ys = line.seen.ys;
      const y = inside ? nearest(line.seen, cursor) : ys[ys.length - 1];
      setText(this.values[i], short(y));
    });
  }

  key(event) {
    if (!this.graph || event.ctrlKey || event.metaKey || event.altKey) return;
    const [low, high] = this.graph.xAxisRange();
    const middle = cursor ?? (low + high) / 2;
    const part = (high - low) / (event.shiftKey ? 10 : 50);
    const moves = {ArrowLeft: -part, ArrowRight: part};
    if (event.key in moves) {
      const x = Math.min(high, Math.max(low, (cursor ?? high) + moves[event.key]));
      setCursor(settings.axis === 'step' ? Math.round(x) : x);
    } else if (event.key === '+' || event.key === '=') {
      setZoom([middle - (middle - low) / 2, middle + (high - middle) / 2]);
    } else if (event.key === '-') {
      setZoom([middle - (middle - low) * 2, middle + (high - middle) * 2]);
    } else {
      return;
    }
    event.preventDefault();
  }
}

function setCursor(x) {
  if (x === cursor) return;
  cursor = x;
  for (const chart of charts.values()) if (chart.visible) chart.showCursor();
}

// Shows x from range[0] to range[1] in all charts; null: all of it.
function setZoom(range) {
  zoom = range;
  $('whole').hidden = !zoom;
  if (!zoom)
    for (const chart of charts.values()) if (chart.graph) chart.graph.updateOptions({valueRange: null}, true);
  redraw();
}

// Draws the charts in view at the next frame; without `forced` only those that have changed.
function redraw(forced = true) {
  for (const chart of charts.values()) {
    chart.dirty = true;
    chart.forced = chart.forced || forced;
  }
  requestAnimationFrame(() => {
    for (const chart of charts.values()) chart.draw();
  });
}

// Makes the charts that the shown runs have, and draws those in view. `forced`: as of redraw.
function updateCharts(forced) {
  const without = typeof Dygraph === 'undefined';
  const list = without ? [] : chartList();
  const keep = new Set(list.map((facts) => facts.title));
  for (const [title, chart] of charts)
    if (!keep.has(title)) {
      chart.close();
      charts.delete(title);
    }
  for (const facts of list) {
    if (charts.has(facts.title)) continue;
    const chart = new Chart(facts);
    charts.set(facts.title, chart);
  }
  for (const [grid, more] of [[$('grid'), false], [$('more-grid'), true]]) {
    const wanted = list.filter((facts) => Boolean(facts.more) === more)
      .map((facts) => charts.get(facts.title).element);
    wanted.forEach((element, i) => {
      if (grid.children[i] !== element) grid.insertBefore(element, grid.children[i] || null);
    });
  }
  $('more').hidden = !list.some((facts) => facts.more);
  $('controls').hidden = !list.length;
  const note = without ? 'This build has no charts: dygraphs (libjs-dygraphs) was not there when it was made.'
    : !shownRuns().length ? 'Select a run to see its curves.'
    : 'No rows yet. Curves appear with the first row of metrics.';
  $('no-charts').hidden = list.length > 0;
  setText($('no-charts'), note);
  redraw(forced);
}
