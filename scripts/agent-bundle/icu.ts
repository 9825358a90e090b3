// Removes from Node's program the data of the Unicode library ICU that no agent uses: names, formats and collations of
// some seven hundred languages, conversions of old character sets, dictionaries that find words. It is a quarter of the
// program. Zeros take its place, which cost next to nothing to fetch, and nothing on a file system that keeps holes.
// The format is ICU's "common data" (icu4c, source/common/ucmndata.h, udata.h).

/** Before the table of contents: size of the header, the magic bytes 0xDA 0x27, and the format "CmnD". */
const MAGIC = Buffer.from([0xda, 0x27])
const MAGIC_AT = 2
const FORMAT = Buffer.from('CmnD')
const FORMAT_AT = 12
/** Entry of the table: offset of the name, offset of the data, both from the table's start. */
const ENTRY_BYTES = 8
const COUNT_BYTES = 4

interface Item {
  readonly nameAt: number
  readonly dataAt: number
  /** Without the package: `coll/de.res`. */
  readonly name: string
}

/** Per language (`de.res`, `zone/de.res`, `translit/de.res`). */
const OF_LANGUAGE = /^(?:\w+\/)?[a-z]{2,3}(?:_\w+)?\.res$/
/** English is what everything falls back to, beside the root. */
const OF_ENGLISH = /^(?:\w+\/)?(?:root|en|en_US|en_001)\.res$/
/** Transliterations, spelled-out numbers, and the dictionaries and rules that find words and lines. */
const OF_NOBODY = /^(?:translit|rbnf|brkitr)\/(?!root\.res$|res_index\.res$)/
/** UTF-8, UTF-16 and Latin-1 need no table. */
const OF_CHARACTER_SET = /\.cnv$/

/** True for data that the program works without: ICU then falls back to its root. */
function isUnused(name: string): boolean {
  if (OF_NOBODY.test(name) || OF_CHARACTER_SET.test(name)) return true
  return OF_LANGUAGE.test(name) && !OF_ENGLISH.test(name)
}

/**
 * The same program, of the same length, with zeros for the data that agents do not use; its table of contents does not
 * have that data any more.
 * @throws {Error} when it has no data of ICU, or not in the layout that is known
 */
export function withoutLanguages(program: Buffer): Buffer {
  const table = findTable(program)
  const items = readTable(program, table)
  const kept = items.filter(({ name }) => !isUnused(name))
  const smaller = Buffer.from(program)
  for (const [index, { name, dataAt }] of items.entries()) {
    // Where the last one ends is not known.
    const end = items[index + 1]?.dataAt
    if (isUnused(name) && end !== undefined) smaller.fill(0, table + dataAt, table + end)
  }
  smaller.writeUInt32LE(kept.length, table)
  smaller.fill(0, table + COUNT_BYTES, table + COUNT_BYTES + items.length * ENTRY_BYTES)
  for (const [index, { nameAt, dataAt }] of kept.entries()) {
    const at = table + COUNT_BYTES + index * ENTRY_BYTES
    smaller.writeUInt32LE(nameAt, at)
    smaller.writeUInt32LE(dataAt, at + 4)
  }
  return smaller
}

/** Offset of the table of contents. */
function findTable(program: Buffer): number {
  for (let at = program.indexOf(MAGIC); at !== -1; at = program.indexOf(MAGIC, at + 1)) {
    const start = at - MAGIC_AT
    if (start < 0 || !program.subarray(start + FORMAT_AT, start + FORMAT_AT + FORMAT.length).equals(FORMAT)) continue
    return start + program.readUInt16LE(start)
  }
  throw new Error('the program has no data of ICU')
}

/** In the order of the names, which is that of the data. */
function readTable(program: Buffer, table: number): Item[] {
  const items = Array.from({ length: program.readUInt32LE(table) }, (_, index) => {
    const at = table + COUNT_BYTES + index * ENTRY_BYTES
    const nameAt = program.readUInt32LE(at)
    const [, name = ''] = /^[^/]+\/(.+)$/.exec(textAt(program, table + nameAt)) ?? []
    return { nameAt, dataAt: program.readUInt32LE(at + 4), name }
  })
  const isKnown = items.every(({ name, dataAt }, index) => name !== '' && dataAt > (items[index - 1]?.dataAt ?? 0))
  if (items.length === 0 || !isKnown) throw new Error('the data of ICU has another layout than the one that is known')
  return items
}

function textAt(program: Buffer, at: number): string {
  return program.toString('latin1', at, program.indexOf(0, at))
}
