// The conformance board: each client's results through Bowline, compared with a plain sshd.
import type { ReactElement } from 'react'
import board from '../../data/conformance.json'

const WORDS: Readonly<Record<string, string>> = { equal: 'same as sshd' }

export function Board(): ReactElement {
  const features = [...new Set(board.rows.map(({ feature }) => feature))]
  const clients = Object.entries(board.clients).filter(([client]) => board.rows.some((row) => row.client === client))
  const equal = board.rows.filter(({ verdict }) => verdict === 'equal').length
  return (
    <>
      <p>
        <strong>
          {equal} of {board.rows.length}
        </strong>{' '}
        rows give the same result as a plain sshd.
      </p>
      {clients.map(([client, version]) => (
        <details key={client} open={client === clients[0]?.[0]}>
          <summary>
            {client}: {board.rows.filter((row) => row.client === client).length} rows
          </summary>
          <p>
            <code>{version}</code>
          </p>
          <ul>
            {features.flatMap((feature) => {
              const row = board.rows.find((one) => one.client === client && one.feature === feature)
              return row ? [<li key={feature}>{`${feature}: ${WORDS[row.verdict] ?? row.verdict}`}</li>] : []
            })}
          </ul>
        </details>
      ))}
    </>
  )
}
