// Dumps by hand: what pg_dump would not write, and what people could have written into the old server to mislead the reader.
import { describe, expect, it } from 'vitest'
import type { Values } from './copy-text.ts'
import { MAX_ROW, readRows } from './rows.ts'

interface Seen {
  readonly tables: string[]
  readonly rows: Values[]
  readonly flaws: (string | undefined)[]
}

/** Reads a dump in chunks of a size. `skip` is a table that nobody needs. */
async function seen(dump: string | Buffer, chunk = 7): Promise<Seen> {
  const found: Seen = { tables: [], rows: [], flaws: [] }
  const bytes = Buffer.from(dump)
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += chunk) yield await Promise.resolve(bytes.subarray(at, at + chunk))
  }
  await readRows(chunks(), (table, columns) => {
    found.tables.push(`${table}(${columns?.join() ?? 'unknown'})`)
    return {
      isNeeded: table !== 'skip',
      take: (values) => found.rows.push(values),
      pass: (flaw) => found.flaws.push(flaw),
    }
  })
  return found
}

const copied = (table: string, columns: string, ...lines: string[]): string =>
  `COPY ${table} (${columns}) FROM stdin;\n${lines.map((line) => `${line}\n`).join('')}\\.\n`
const bare = (dump: string | Buffer, chunk?: number): Promise<Seen['rows']> =>
  seen(dump, chunk).then(({ rows }) => rows)

describe('rows of COPY', () => {
  it.each([
    [String.raw`a\tb`, 'a\tb'],
    [String.raw`\\N`, String.raw`\N`],
    [String.raw`\N`, null],
    [String.raw`x\N`, 'xN'],
    ['', ''],
    [String.raw`\b\f\n\r\t\v`, '\b\f\n\r\t\v'],
    [String.raw`\101\60\x41\x4`, 'A0A\u0004'],
    [String.raw`\303\244`, 'ä'],
    ['ä€😀', 'ä€😀'],
    [String.raw`\.`.repeat(2), '..'],
    [String.raw`\q\"\'`, `q"'`],
  ])('read %j as PostgreSQL does', async (written, value) => {
    expect(await bare(copied('t', 'a, b', `${written}\tend`))).toEqual([[value, 'end']])
  })

  it('are the same wherever the chunks of the file end', async () => {
    const dump = `${copied('public."user"', 'id, "odd ""name"""', 'ä\t1', '2\t\\N')}SELECT 1;\n${copied('t', 'a', 'x')}`
    for (let size = 1; size < 90; size += 1) {
      const { tables, rows } = await seen(dump, size)
      expect([size, tables, rows]).toEqual([
        size,
        ['public.user(id,odd "name")', 't(a)'],
        [['ä', '1'], ['2', null], ['x']],
      ])
    }
  })

  it('may end their lines as Windows does', async () => {
    expect(await bare(copied('t', 'a, b', '1\t2').replaceAll('\n', '\r\n'))).toEqual([['1', '2']])
  })

  it('are refused one by one where they are not whole, too long or no text', async () => {
    const long = 'x'.repeat(MAX_ROW)
    const lines = Buffer.concat([
      Buffer.from(`COPY t (a, b) FROM stdin;\nonly one\n1\t2\t3\n${long}\t1\n`),
      Buffer.from([0xff, 0xfe, 0x09, 0x31, 0x0a]),
      Buffer.from('nul\\000\t1\nlast\tone\n\\.\n'),
    ])
    const { rows, flaws } = await seen(lines, 65_536)
    expect(rows).toEqual([['last', 'one']])
    expect(flaws).toEqual([
      'It has 1 values for 2 columns.',
      'It has 3 values for 2 columns.',
      `It is longer than ${MAX_ROW} bytes.`,
      'It is not UTF-8.',
      'It has a NUL character.',
    ])
  })

  it('of tables that nobody needs are counted, whatever is in them', async () => {
    const lines = ['x'.repeat(3 * MAX_ROW), String.raw`\..`, String.raw`\.x`, '']
    const { rows, flaws } = await seen(copied('skip', 'a', ...lines) + copied('t', 'a', '1'), 65_536)
    expect([rows, flaws]).toEqual([[['1']], lines.map(() => undefined)])
  })

  it.each([
    ['COPY t (a) FROM stdin;\n1\n', 'cut off'],
    ['COPY t (a) FROM stdin', 'cut off'],
    ["INSERT INTO t (a) VALUES ('1", 'cut off'],
    ['COPY t (a) FROM stdin WITH (FORMAT csv);\n1\n\\.\n', 'not in the text format'],
    ['COPY t (a) FROM stdin; SELECT 1;\n1\n\\.\n', 'something follows'],
    ["SET client_encoding = 'LATIN1';\n", 'client_encoding = LATIN1'],
    ['SET standard_conforming_strings = off;\n', 'standard_conforming_strings'],
  ])('%j ends the command with its reason', async (dump, reason) => {
    await expect(seen(dump, 65_536)).rejects.toThrow(reason)
  })
})

describe('statements', () => {
  const injected = "\nCOPY users (a) FROM stdin;\nevil\n\\.\nINSERT INTO users (a) VALUES (''evil'');\n"

  it.each([
    ['a text', `INSERT INTO skip (a) VALUES ('${injected}');`],
    ['a text with escapes', `INSERT INTO skip (a) VALUES (E'\\'${injected}\\\\');`],
    ['a text whose last character is a backslash', `INSERT INTO skip (a) VALUES ('\\'), ('${injected}');`],
    ['a text in dollars', `DO $do$ it's "${injected} $$ $ do$ $do$;`],
    ['a name', `COMMENT ON TABLE "${injected.replaceAll("'", '')}" IS 'x';`],
    ['comments', `/* it's /* ${injected} */ " ${injected} */ SELECT 1;`],
    ['a line comment', `-- it's "COPY users (a) FROM stdin;\nSELECT 1;`],
  ])('that %s imitates are none', async (_, statement) => {
    const dump = `${statement}\n${copied('t', 'a', 'true row')}`
    for (const size of [1, 2, 3, 5, 8, 13, 4_096]) {
      const { tables, rows } = await seen(dump, size)
      expect([tables.filter((table) => table.startsWith('users')), rows]).toEqual([[], [['true row']]])
    }
  })

  it('read values of INSERT statements as PostgreSQL does', async () => {
    const values = String.raw`'it''s', E'a\n\'b''\\', NULL, -1.5e3, true, '{"a": 1}'::jsonb, 'c\d'`
    const names = 'a, b, c, d, e, f, g'
    expect(await bare(`INSERT INTO s.t (${names}) OVERRIDING SYSTEM VALUE VALUES (${values}), (${values});\n`)).toEqual(
      [1, 2].map(() => ["it's", `a\n'b'\\`, null, '-1.5e3', 'true', '{"a": 1}', String.raw`c\d`]),
    )
  })

  it.each(['(now())', '(1', '(1, 2)', '(1) RETURNING a', "('a' || 'b')", 'SELECT 1'])(
    'with the values %s are refused and nothing is guessed',
    async (values) => {
      const { rows, flaws } = await seen(`INSERT INTO t (a) VALUES ${values};\n`)
      expect(rows).toEqual([])
      expect(flaws).toHaveLength(1)
    },
  )

  it('of any length are read, and none is kept that is longer than needed', async () => {
    const big = 'y'.repeat(5 * 1_024 * 1_024)
    const dump = `INSERT INTO t (a) VALUES ('${big}');\nINSERT INTO t (a) VALUES ('${big.slice(0, 3 * MAX_ROW)}''');\n`
    const { rows, flaws } = await seen(dump, 65_536)
    expect(flaws).toEqual(['It is longer than any that is needed.'])
    expect(rows.map(([value]) => value?.length)).toEqual([3 * MAX_ROW + 1])
  })

  it('that psql itself reads are passed over, with their quotes', async () => {
    expect(await bare(`\\restrict it's\n\\connect "x\n${copied('t', 'a', '1')}\\unrestrict '\n`)).toEqual([['1']])
  })
})
