import { expect, it } from 'vitest'
import { programsOf } from './programs.ts'

it.each([
  ['ls -l', 'ls'],
  ['/usr/bin/apt-get update', 'apt-get'],
  ['sudo -u postgres psql -c "select 1; drop"', 'psql'],
  ['sudo systemctl restart nginx && journalctl -fu nginx | grep -v debug', 'systemctl journalctl grep'],
  ['TOKEN=secret LANG=C curl https://example.com/a;b', 'curl b'],
  ["echo 'rm -rf /' > /tmp/x", 'echo'],
  ['sudo', 'sudo'],
  ['for f in *.log; do gzip "$f"; done', 'gzip'],
  ['if [ -f x ]; then cat x; fi', '[ cat'],
  ['$(whoami) "my program" ~/x/run.sh # rm', ''],
  ['"my program"; my\\ program; ./run.sh # rm', 'run.sh'],
  ['', ''],
  ['\u001b[31m; p\u0000wn', ''],
])('finds the programs of %j: %s', (line, expected) => expect(programsOf(line).join(' ')).toBe(expected))

it('reads the longest command that a shell can mark at once', () => {
  expect(programsOf('\\"'.repeat(2_048))).toEqual([])
  expect(programsOf('a|'.repeat(2_048))).toHaveLength(32)
})

it.each([
  ["cat > x.env <<'EOF'\nsk_live_51Habcdef\nEOF", 'cat'],
  ['> out.txt sort in.txt', 'sort'],
  ['sort < in.txt', 'sort'],
])('finds no words of texts and names of files in %j', (line, expected) =>
  expect(programsOf(line).join(' ')).toBe(expected),
)
