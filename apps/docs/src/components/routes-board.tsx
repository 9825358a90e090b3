// What `npm run matrix:routes` found: OpenSSH's features by each kind of device, compared with the device's own SSH server.
import type { ReactElement } from 'react'
import board from '../../data/conformance-routes.json'
import { Table } from './table.tsx'

const WORDS: Readonly<Record<string, string>> = {
  equal: 'same',
  different: 'differs',
  failed: 'no',
  alone: 'not alone either',
  'not run': 'not run',
}
const rows: readonly (readonly [string, Readonly<Record<string, string>>])[] = Object.entries(board.rows)

export function RoutesBoard(): ReactElement {
  return (
    <Table>
      <thead>
        <tr>
          <th>Feature</th>
          {board.routes.map((route) => (
            <th key={route}>{route}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th>Rows that are the same</th>
          {board.routes.map((route) => (
            <th key={route}>
              {rows.filter(([, verdicts]) => verdicts[route] === 'equal').length} of {rows.length}
            </th>
          ))}
        </tr>
        {rows.map(([feature, verdicts]) => (
          <tr key={feature}>
            <td>{feature}</td>
            {board.routes.map((route) => (
              <td key={route}>{WORDS[verdicts[route] ?? ''] ?? ''}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
