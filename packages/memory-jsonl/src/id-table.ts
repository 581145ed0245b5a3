/**
 * Ids of messages and their seqs, about 30 bytes each: hashes of 53 bits in an open table. What it does not know is
 * not there; what it knows is there most likely, and has to be looked at.
 */
export interface IdTable {
  readonly slots: number;
  /** The first seq given for an id stays. */
  add(id: string, seq: number): void;
  seqOf(id: string): number | undefined;
}

export function createIdTable(): IdTable {
  let slots = 64;
  let used = 0;
  // Pairs of hash and seq; a hash of 0 marks an empty slot.
  let pairs = new Float64Array(2 * slots);

  function placeOf(table: Float64Array, hash: number): number {
    const mask = table.length / 2 - 1;
    let slot = (hash >>> 0) & mask;
    for (;;) {
      const found = table[2 * slot];
      if (found === 0 || found === hash) return 2 * slot;
      slot = (slot + 1) & mask;
    }
  }

  function grow(): void {
    const wider = new Float64Array(4 * slots);
    for (let at = 0; at < pairs.length; at += 2) {
      const hash = pairs[at] ?? 0;
      if (hash === 0) continue;
      const place = placeOf(wider, hash);
      wider[place] = hash;
      wider[place + 1] = pairs[at + 1] ?? 0;
    }
    pairs = wider;
    slots *= 2;
  }

  return {
    get slots() {
      return slots;
    },
    add(id, seq) {
      const hash = hashOf(id);
      const place = placeOf(pairs, hash);
      if (pairs[place] === hash) return;
      pairs[place] = hash;
      pairs[place + 1] = seq;
      used += 1;
      if (used * 5 > slots * 3) grow();
    },
    seqOf(id) {
      const place = placeOf(pairs, hashOf(id));
      return pairs[place] === 0 ? undefined : pairs[place + 1];
    },
  };
}

/** 53 bits from two multiplicative hashes over the UTF-16 code units; never 0. */
function hashOf(id: string): number {
  let left = 0x811c9dc5;
  let right = 0x41c6ce57;
  for (let at = 0; at < id.length; at += 1) {
    const unit = id.charCodeAt(at);
    left = Math.imul(left ^ unit, 0x01000193);
    right = Math.imul(right ^ unit, 0x5bd1e995);
    right ^= right >>> 15;
  }
  left ^= left >>> 16;
  left = Math.imul(left, 0x85ebca6b);
  left ^= left >>> 13;
  return (left >>> 0) + (right & 0x1fffff) * 2 ** 32 || 1;
}
