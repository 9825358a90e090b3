// Renders the output of `npm run bench -- --json` as a table.
import type { ReactElement } from 'react'
import bench from '../../data/bench.json'
import { Table } from './table.tsx'

const digits = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))

const UNITS: Readonly<Record<string, string>> = { ratio: '×', seconds: ' s', secondsPerGb: ' s/GB' }
const unitOf = (unit: string): string => UNITS[unit] ?? ` ${unit}`

const isMissed = (median: number, { better, must }: { readonly better: string; readonly must: number }): boolean =>
  better === 'more' ? median < must : median > must

export function Bench(): ReactElement {
  const { cpu, cores, node, ssh, revision, load, startedAt } = bench.machine
  return (
    <>
      <Table>
        <thead>
          <tr>
            <th>Work</th>
            <th>Compared with</th>
            <th>Median</th>
            <th>Least – most</th>
            <th>Must be</th>
          </tr>
        </thead>
        <tbody>
          {bench.rows.map(({ id, work, peer, unit, measured, target }) => (
            <tr key={id}>
              <td>{work}</td>
              <td>{peer || '–'}</td>
              <td>
                {digits(measured.median)}
                {unitOf(unit)}
              </td>
              <td>
                {digits(measured.least)} – {digits(measured.most)}
              </td>
              <td>
                {target
                  ? `${target.better === 'more' ? '≥' : '≤'} ${target.must}${unitOf(unit)}${isMissed(measured.median, target) ? ', missed' : ''}`
                  : '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <p>
        Revision <code>{revision}</code> on {cores} × {cpu}, {ssh}, Node {node}, measured {startedAt.slice(0, 10)}; load
        of the machine before: {load}.
      </p>
    </>
  )
}
