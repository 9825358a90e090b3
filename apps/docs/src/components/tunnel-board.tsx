// The board of the HTTP tunnels: what services and clients do directly and through a tunnel, compared.
import type { ReactElement } from 'react'
import board from '../../data/tunnels.json'

export function TunnelBoard(): ReactElement {
  const services = [...new Set(board.rows.map(({ service }) => service))]
  return (
    <>
      {services.map((service) => {
        const rows = board.rows.filter((row) => row.service === service)
        return (
          <details key={service}>
            <summary>
              {service} ({board.versions[service as keyof typeof board.versions]}): {rows.length} rows
            </summary>
            <ul>
              {[...new Set(rows.map(({ feature }) => feature))].map((feature) => {
                const same = rows.filter((row) => row.feature === feature)
                const clients = same.map(({ client }) => client).join(' and ')
                const why = same.find((row) => row.why !== '')?.why
                return <li key={feature}>{`${feature}, by ${clients}: ${why ?? 'the same'}`}</li>
              })}
            </ul>
          </details>
        )
      })}
    </>
  )
}
