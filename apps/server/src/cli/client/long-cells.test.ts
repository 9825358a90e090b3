import { expect, it } from 'vitest'
import { table } from '../terminal.ts'

it('cuts long cells before the last column, which a user name of a stranger would push out of sight', () => {
  const name = 'x'.repeat(300)
  expect(
    table(
      ['LOGIN', 'STATE', 'NOTE'],
      [
        ['root', 'open', name],
        [name, 'closed', ''],
      ],
    ),
  ).toEqual([
    `LOGIN${' '.repeat(77)}STATE   NOTE`,
    `root${' '.repeat(78)}open    ${name}`,
    `${name.slice(0, 79)}…  closed`,
  ])
})
