// Changes of curves before they are drawn. A curve has its points in xs and ys; NaN is a gap.

// The exponential moving average of ys, without the pull towards zero at the start (as Adam corrects
// its means).
function smoothed(ys, weight) {
  let sum = 0, total = 0;
  return ys.map((y) => {
    if (!Number.isFinite(y)) return y;
    sum = weight * sum + (1 - weight) * y;
    total = weight * total + 1 - weight;
    return sum / total;
  });
}

// At most about `most` points: the least and the largest of each stretch, and both ends.
function fewer(curve, most) {
  const {xs, ys} = curve;
  if (xs.length <= most) return curve;
  const width = Math.ceil(2 * xs.length / most);
  const kept = [0];
  for (let from = 0; from < xs.length; from += width) {
    let low = -1, high = -1, gap = -1;
    for (let i = from; i < Math.min(xs.length, from + width); ++i) {
      if (!Number.isFinite(ys[i])) gap = i;
      else if (low < 0) low = high = i;
      else if (ys[i] < ys[low]) low = i;
      else if (ys[i] > ys[high]) high = i;
    }
    for (const i of [low, high, gap].sort((a, b) => a - b))
      if (i > kept[kept.length - 1]) kept.push(i);
  }
  if (kept[kept.length - 1] !== xs.length - 1) kept.push(xs.length - 1);
  return {xs: kept.map((i) => xs[i]), ys: kept.map((i) => ys[i])};
}

// The first place of sorted xs that is not below x.
function placeOf(xs, x) {
  let low = 0, high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The points from low to high, with one neighbour on each side.
function within(curve, range) {
  if (!range) return curve;
  const from = Math.max(0, placeOf(curve.xs, range[0]) - 1);
  const to = Math.min(curve.xs.length, placeOf(curve.xs, range[1]) + 2);
  return {xs: curve.xs.slice(from, to), ys: curve.ys.slice(from, to)};
}

// The value of the point that is nearest to x; null without points.
function nearest(curve, x) {
  const {xs, ys} = curve;
  if (!xs.length) return null;
  const after = Math.min(placeOf(xs, x), xs.length - 1);
  const before = Math.max(0, after - 1);
  return x - xs[before] < xs[after] - x ? ys[before] : ys[after];
}

// Rows [x, y of curve 0, y of curve 1, ...] as dygraphs takes them: null where a curve has no point.
function joined(curves) {
  const all = new Set();
  for (const curve of curves) for (const x of curve.xs) all.add(x);
  const xs = Float64Array.from(all).sort();
  const rows = Array.from(xs, (x) => {
    const row = new Array(curves.length + 1).fill(null);
    row[0] = x;
    return row;
  });
  curves.forEach((curve, c) => {
    let place = 0;
    curve.xs.forEach((x, i) => {
      while (xs[place] < x) ++place;
      rows[place][c + 1] = curve.ys[i];
    });
  });
  return rows;
}
