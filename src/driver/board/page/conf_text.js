// Reads the layers of a job.conf, which is protobuf's text form, for the list of the net. A text that
// cannot be read gives no layers; the page shows the conf as it is.

const CONF_TOKEN = /\s+|#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w.+-]+|[{}<>[\]:,;/]/y;
const MOST_DEPTH = 100;

function confTokens(text) {
  const tokens = [];
  CONF_TOKEN.lastIndex = 0;
  while (CONF_TOKEN.lastIndex < text.length) {
    const from = CONF_TOKEN.lastIndex;
    const match = CONF_TOKEN.exec(text);
    if (!match) return [];
    if (!/^[\s#]/.test(match[0])) tokens.push({text: match[0], from, to: from + match[0].length});
  }
  return tokens;
}

// Calls visit(name, from, to, depth) for the message or the scalar of each field: places of tokens.
function walkConf(tokens, visit) {
  const open = [];
  for (let i = 0; i < tokens.length; ++i) {
    const {text} = tokens[i];
    if (text === '}' || text === '>') {
      const field = open.pop();
      if (!field) return;
      visit(field.name, field.from, i, open.map((outer) => outer.name));
      continue;
    }
    if (!/^\w/.test(text)) continue;
    const next = tokens[i + 1]?.text;
    const value = next === ':' ? i + 2 : i + 1;
    const first = tokens[value]?.text;
    if (first === '{' || first === '<') {
      if (open.length === MOST_DEPTH) return;
      open.push({name: text, from: i});
      i = value;
    } else if (next === ':') {
      visit(text, value, value, open.map((outer) => outer.name));
      i = value;
    }
  }
}

const unquoted = (text) => text.replace(/^["']|["']$/g, '');

// The layers of a conf: [{name, type, params: [name], text, pattern}].
function layersOfConf(conf) {
  const tokens = confTokens(conf || '');
  const layers = [];
  let facts = {params: []};
  walkConf(tokens, (name, from, to, outer) => {
    const inside = outer[outer.length - 1];
    const value = unquoted(tokens[from].text);
    if (inside === 'layer' && name === 'name') facts.name = value;
    else if (inside === 'layer' && (name === 'type' || name === 'user_type')) facts.type = value;
    else if (inside === 'param' && name === 'name') facts.params.push(value);
    else if (name === 'layer') {
      const start = conf.lastIndexOf('\n', tokens[from].from) + 1;
      layers.push({...facts, text: dedented(conf.slice(start, tokens[to].to)),
                   pattern: patternOf(facts.name)});
      facts = {params: []};
    }
  });
  return layers;
}

function dedented(text) {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim()).map((line) => line.match(/^ */)[0].length);
  const least = Math.min(...indents);
  return lines.map((line) => line.slice(least)).join('\n');
}

// Names of a repeated block have {i}, which stands for a number; null for other names.
function patternOf(name) {
  if (!name || !/\{i([+-]\d+)?\}/.test(name)) return null;
  const parts = name.split(/\{i(?:[+-]\d+)?\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('\\d+')}$`);
}

// The layer of the conf that became the net's layer `name`; null if there is none.
function confLayer(layers, name) {
  return layers.find((layer) => layer.name === name) ||
         layers.find((layer) => layer.pattern && layer.pattern.test(name)) || null;
}
