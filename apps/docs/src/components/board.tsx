// The conformance board: each client's results through Bowline, compared with a plain sshd.
import type { ReactElement } from 'react'
import board from '../../data/conformance.json'
import repeated from '../../data/conformance-repeated.json'

const WORDS: Readonly<Record<string, string>> = { equal: 'same as sshd' }
/** Rows that ran many times, by `client: feature`, with how often each gave the usual result. */
const counts: Readonly<Record<string, { sshd: number; bowline: number } | undefined>> = repeated.rows

function resultOf({ client, feature, verdict }: (typeof board.rows)[number]): string {
  const result = `${feature}: ${WORDS[verdict] ?? verdict}`
  const count = counts[`${client}: ${feature}`]
  return count ? `${result}; many at once: ${count.bowline} of ${repeated.times}` : result
}

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
        rows give the same result as a plain sshd. {Object.keys(counts).length} of them also ran {repeated.times} times
        on each way, {repeated.atOnce} at once, and gave it as often as sshd did.
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
              return row ? [<li key={feature}>{resultOf(row)}</li>] : []
            })}
          </ul>
        </details>
      ))}
    </>
  )
}
