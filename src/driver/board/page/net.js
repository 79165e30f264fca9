// The net as a list of its layers in their order, with blocks, and arcs for links that pass layers by.

const ROW_GAP = 7;  // pixels between two arcs

// "3#fc1+2@1" is stage 2 of layer fc1, time step 3, in worker 1. "split(fc1)" gives fc1's feature to
// several layers, and is shown as a part of fc1.
const SPLIT = /^split\((.*)\)$/;
const nodeName = (id) => String(id).replace(/^\d+#/, '').replace(/@\d+$/, '').replace(/\+\d+$/, '');
const layerName = (id) => nodeName(id).replace(SPLIT, '$1');

// The nodes of a net's .dot file by their places: {type, params: [{name, shape}]}. A label is
// "name\ntype shape\nparam shape...", with \n as two characters.
function nodesOfDot(dot) {
  const nodes = new Map();
  const shapeOf = (text) => text.split(', ').map(Number);
  for (const [, place, label] of String(dot || '').matchAll(/^\s*n(\d+) \[label="((?:[^"\\]|\\.)*)"/gm)) {
    const lines = label.replace(/\\(.)/g, (all, c) => (c === 'n' ? '\n' : c)).split('\n');
    const type = /^(\w+)/.exec(lines[1] || '')?.[1];
    const params = lines.slice(2).map((line) => /^(.+) \(([\d, ]+)\)$/.exec(line)).filter(Boolean)
      .map(([, name, shape]) => ({name, shape: shapeOf(shape)}));
    nodes.set(Number(place), {type, params});
  }
  return nodes;
}

// Layers of a graph of visualization/: [{name, type, params, shape, count, sources: Set of places}].
function layersOfGraph(graph, dot) {
  const more = nodesOfDot(dot);
  const nodes = Array.isArray(graph?.nodes) ? graph.nodes : [];
  const layers = [], by_name = new Map();
  const places = nodes.map((node, i) => {
    const name = layerName(node.id);
    if (!by_name.has(name)) {
      const shape = /-- shape: ([\d ]*)/.exec(node.label)?.[1].trim().replace(/ /g, ' × ') || '';
      by_name.set(name, layers.length);
      const {type, params} = more.get(i) || {params: []};
      layers.push({name, type, params, shape, count: 0, sources: new Set()});
    }
    if (!SPLIT.test(nodeName(node.id))) ++layers[by_name.get(name)].count;
    return by_name.get(name);
  });
  const ids = new Map(nodes.map((node, i) => [node.id, i]));
  const placeOfNode = (end) => places[typeof end === 'number' ? end : ids.get(end)];
  for (const link of Array.isArray(graph?.links) ? graph.links : []) {
    const from = placeOfNode(link.source), to = placeOfNode(link.target);
    if (from !== undefined && to !== undefined && from < to) layers[to].sources.add(from);
  }
  return layers;
}

// Blocks: three or more layers in a row whose names have the same first number. Returns the title
// of the block that begins at each place, and the block of each layer.
function blocksOf(layers) {
  const number = (layer) => /^\D*(\d+)/.exec(layer.name)?.[1];
  const blocks = [];
  for (let from = 0; from < layers.length;) {
    let to = from + 1;
    const own = number(layers[from]);
    while (own !== undefined && to < layers.length && number(layers[to]) === own) ++to;
    if (to - from < 3) {
      to = from + 1;
      const last = blocks[blocks.length - 1];
      if (last && !last.title) last.to = to;
      else blocks.push({title: '', from, to});
    } else {
      const starts = new Set(layers.slice(from, to).map((layer) => /^\D*\d+/.exec(layer.name)[0]));
      blocks.push({title: starts.size === 1 ? [...starts][0] : `Block ${own}`, from, to});
    }
    from = to;
  }
  return blocks;
}

// The params of a layer with their shapes, by the names of the conf, or as layers name them.
function paramsOf(name, of_conf, shapes) {
  const own = of_conf ? of_conf.params.filter((param) => shapes.has(param)) : [];
  const start = `${name}_`;
  for (const param of shapes.keys())
    if (param.startsWith(start) && /^\d+$/.test(param.slice(start.length)) && !own.includes(param))
      own.push(param);
  return own.map((param) => ({name: param, shape: shapes.get(param)}));
}

const sizeOf = (shape) => (Array.isArray(shape) ? shape.reduce((product, n) => product * n, 1) : 0);
const shapeText = (shape) => (Array.isArray(shape) ? shape.join(' × ') : '–');

function timesOf(details) {
  const times = new Map();
  for (const row of Array.isArray(details.layers_ms) ? details.layers_ms : []) {
    const name = layerName(row.layer);
    const old = times.get(name) || {forward: 0, backward: 0};
    times.set(name, {forward: old.forward + (row.forward_ms || 0),
                     backward: old.backward + (row.backward_ms || 0)});
  }
  return times;
}

function layerRow(layer, largest_ms) {
  const {params, time} = layer;
  const count = params.reduce((sum, param) => sum + sizeOf(param.shape), 0);
  const bar = (ms, kind) => make('i', {class: kind, style: `width:${100 * ms / largest_ms}%`});
  const times = time && make('span', {class: 'layer-ms'},
    make('span', {class: 'bar', 'aria-hidden': 'true'}, bar(time.forward, 'compute'), bar(time.backward, 'backward')),
    make('span', {}, milliseconds(time.forward + time.backward)));
  const summary = make('summary', {}, make('b', {}, layer.name), make('span', {class: 'type'}, layer.type || ''),
    make('span', {class: 'shape'}, layer.shape + (layer.count > 1 ? ` (${layer.count} nodes)` : '')),
    make('span', {class: 'count'}, count ? `${short(count)} values` : ''), times || null);
  const fill = (event) => {
    if (event.target.childElementCount > 1) return;
    const facts = [];
    if (time) facts.push(`Forward ${milliseconds(time.forward)}, backward ${milliseconds(time.backward)}.`);
    for (const param of params) facts.push(`${param.name}: ${shapeText(param.shape)}`);
    event.target.append(make('div', {class: 'fields'}, ...facts.map((fact) => make('p', {}, fact)),
      layer.text ? make('pre', {}, layer.text) : facts.length ? null : make('p', {}, 'Its conf is not known.')));
  };
  return make('details', {class: 'layer', toggle: fill}, summary);
}

// Draws an arc for each link that passes layers by, beside the list, once the list has its place.
function drawArcs(list, rows, layers) {
  const middle = (row) => row.offsetTop + row.firstChild.offsetHeight / 2;
  const ends = [];  // by lane: the last row of its last arc
  const arcs = [];
  layers.forEach((layer, to) => {
    for (const from of [...layer.sources].sort((a, b) => b - a)) {
      if (to - from < 2) continue;
      let lane = ends.findIndex((end) => end <= from);
      if (lane < 0) lane = ends.length;
      ends[lane] = to;
      arcs.push([from, to, lane]);
    }
  });
  const lanes = Math.min(ends.length, 8);
  const width = 14 + ROW_GAP * lanes;
  const svg = makeSvg('svg', {class: 'arcs', width, height: list.offsetHeight, 'aria-hidden': 'true'});
  const x = width - 4;
  if (rows.length > 1)
    svg.append(makeSvg('line', {x1: x, x2: x, y1: middle(rows[0]), y2: middle(rows[rows.length - 1])}));
  for (const [from, to, lane] of arcs) {
    const a = middle(rows[from]), b = middle(rows[to]);
    const out = x - 6 - ROW_GAP * Math.min(lane + 1, lanes);
    const bend = Math.min(12, (b - a) / 2);
    svg.append(makeSvg('path', {class: 'arc',
      d: `M${x} ${a}Q${out} ${a} ${out} ${a + bend}L${out} ${b - bend}Q${out} ${b} ${x} ${b}`}));
  }
  for (const row of rows) svg.append(makeSvg('circle', {cx: x, cy: middle(row), r: 3}));
  list.querySelector('svg')?.remove();
  list.style.paddingLeft = `${width + 4}px`;
  list.prepend(svg);
}

function netPanel(run) {
  const {details} = run;
  const layers = layersOfGraph(details.net?.train || details.net?.test, details.net?.train && details.dot);
  if (!layers.length) return [make('p', {class: 'note'}, 'The workspace has no graph of the net (visualization/).')];
  const of_conf = layersOfConf(details.conf);
  const newest = (details.checkpoints || []).find((checkpoint) => checkpoint.params);
  const shapes = new Map((newest?.params || []).map((param) => [param.name, param.shape]));
  const times = timesOf(details);
  for (const layer of layers) {
    const found = confLayer(of_conf, layer.name);
    const known = paramsOf(layer.name, found, shapes);
    layer.params = known.length ? known
      : layer.params.map(({name, shape}) => ({name, shape: shapes.get(name) || shape}));
    Object.assign(layer, {type: layer.type || found?.type, text: found?.text, time: times.get(layer.name)});
  }
  const sum = (time) => time.forward + time.backward;
  const largest = Math.max(1e-9, ...[...times.values()].map(sum));
  const rows = layers.map((layer) => layerRow(layer, largest));
  const list = make('div', {class: 'net'});
  for (const block of blocksOf(layers)) {
    if (block.title) list.append(make('h3', {class: 'block'}, block.title));
    else if (block.from) list.append(make('div', {class: 'gap'}));
    list.append(...rows.slice(block.from, block.to));
  }
  new ResizeObserver(() => drawArcs(list, rows, layers)).observe(list);
  const params = new Map(layers.flatMap((layer) => layer.params.map(({name, shape}) => [name, shape])));
  const values = [...params.values()].reduce((total, shape) => total + sizeOf(shape), 0);
  const facts = [`${layers.length} layers`];
  if (values) facts.push(`${short(values)} values in params`);
  const all_ms = [...times.values()].reduce((total, time) => total + sum(time), 0);
  if (times.size) facts.push(`${milliseconds(all_ms)} a step in layers`);
  return [make('p', {class: 'note'}, `${facts.join(', ')}. Open a layer to see its fields.`),
    ...(times.size ? [barKeys([['Forward', 'compute'], ['Backward', 'backward']])] : []), list];
}
