// What the page shows: the data that pbcat put into it, as flat arrays.
//
// base64 of gzip, in pieces with a space between two, of what is one after the
// other: the length H of a header (four bytes, least first), H
// bytes of JSON, and columns of LEB128 varints one after the other:
//   file, package, binary of each name          index + 1, 0: none
//   kind of each name                           see frameKinds
//   name of each node                           nodes are in preorder
//   how many levels are closed before each node
//   for each type, the own value of each node   zigzag
//   in a difference, likewise that of the old profile
//   if nodes were merged, what each name has: flat, and cum
//
// The header, which lib/report/flame/flame.c describes, has version, title, note[], types[{type, unit}], default_type,
// diff, names[], files[], packages[], binaries[], nodes; other (the name that stands for
// merged nodes, or -1), merged (how many were) and limit (the share of the
// total below which).

const frameKinds = { none: 0, address: 1, function: 2 };

class Columns {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  unsigned(n) {
    const out = new Int32Array(n);
    const bytes = this.bytes;
    let at = this.at;
    for (let i = 0; i < n; i++) {
      let byte = bytes[at++];
      let value = byte & 127;
      for (let scale = 128; byte > 127; scale *= 128) {
        byte = bytes[at++];
        value += (byte & 127) * scale;
      }
      out[i] = value;
    }
    this.at = at;
    return out;
  }

  finish() {
    const { at, bytes } = this;
    if (at !== bytes.length)
      throw new Error(
        `The data in this page are damaged: ${bytes.length} bytes, ` +
          `${at} expected.`,
      );
  }

  // The sign is taken apart first: above 2^53 the value is rounded, and the
  // bit that tells the sign would be the first to go.
  signed(n) {
    const out = new Float64Array(n);
    const bytes = this.bytes;
    let at = this.at;
    for (let i = 0; i < n; i++) {
      let byte = bytes[at++];
      const negative = byte & 1;
      let value = (byte & 127) >> 1;
      for (let scale = 64; byte > 127; scale *= 128) {
        byte = bytes[at++];
        value += (byte & 127) * scale;
      }
      out[i] = negative ? -value - 1 : value;
    }
    this.at = at;
    return out;
  }
}

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function gunzip(bytes) {
  if (!self.DecompressionStream)
    throw new Error(
      "This browser cannot decompress; a newer one can (DecompressionStream).",
    );
  const stream = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function joined(pieces) {
  return pieces.length > 1
    ? new Uint8Array(await new Blob(pieces).arrayBuffer())
    : pieces[0];
}

// Characters that would not be seen, or would reorder their neighbours, are
// written out.
const unseen =
  /[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function visible(text) {
  return text.replace(
    unseen,
    c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

// The nodes' shape: parent[i] (-1: none), depth[i], and end[i], the node
// behind the last one below i.  So i's first child is i + 1 when that is
// before end[i], and the next sibling of c is end[c].
function shapeOf(closed) {
  const n = closed.length;
  const parent = new Int32Array(n),
    depth = new Int32Array(n),
    end = new Int32Array(n);
  const open = new Int32Array(n);
  let height = 0,
    top = 0;
  for (let i = 0; i < n; i++) {
    let left = closed[i];
    if (left > top)
      throw new Error(
        "The data in this page are damaged: node " +
          i +
          " closes more than is open.",
      );
    while (left-- > 0) end[open[--top]] = i;
    parent[i] = top > 0 ? open[top - 1] : -1;
    depth[i] = top;
    open[top++] = i;
    if (top > height) height = top;
  }
  while (top > 0) end[open[--top]] = n;
  return { parent, depth, end, height };
}

// The header, and the columns behind it.
async function unpack(text) {
  const pieces = text.trim().split(" ");
  const bytes = await joined(
    await Promise.all(pieces.map(piece => gunzip(bytesOfBase64(piece)))),
  );
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(
    new TextDecoder().decode(bytes.subarray(4, 4 + length)),
  );
  return { header, columns: new Columns(bytes, 4 + length) };
}

async function readProfile(text) {
  const { header, columns } = await unpack(text);
  if (header.version !== 2)
    throw new Error(
      "The data in this page have version " + header.version + ", not 2.",
    );
  const names = header.names.map(visible);
  const n = header.nodes;
  const valuesOf = length => header.types.map(() => columns.signed(length));
  const sumsOf = length => [
    valuesOf(length),
    header.diff ? valuesOf(length) : null,
  ];
  const profile = {
    header,
    names,
    brief: header.brief.map((text, k) => (text ? visible(text) : names[k])),
    n,
    files: header.files.map(visible),
    packages: header.packages.map(visible),
    binaries: header.binaries.map(visible),
    fileOf: columns.unsigned(names.length),
    packageOf: columns.unsigned(names.length),
    binaryOf: columns.unsigned(names.length),
    kindOf: columns.unsigned(names.length),
    name: columns.unsigned(n),
    ...shapeOf(columns.unsigned(n)),
    functions: null,
    labels: null,
  };
  profile.root = profile;
  [profile.self, profile.base] = sumsOf(n);
  if (header.merged) {
    const [flat, baseFlat] = sumsOf(names.length);
    const [cum, baseCum] = sumsOf(names.length);
    profile.functions = { flat, baseFlat, cum, baseCum };
  }
  columns.finish();
  return profile;
}
