// Whether a forwarded port carries: a line goes to the echo server at its end and comes back.
import { until } from '../../support/wait.ts'
import { attempt } from '../tool.ts'

/** A line of bash that sends a line to a port of its machine and prints what comes back. */
export const askPort = (port: number | string): string =>
  `exec 3<>/dev/tcp/127.0.0.1/${port}; echo through >&3; head -1 <&3`

/** What comes back through a port of this machine, as soon as somebody listens there. */
export function throughPort(port: number): Promise<string> {
  return until('the forward carries', async () => {
    const { code, stdout } = await attempt(['bash', '-c', askPort(port)])
    return code === 0 && stdout !== '' && stdout
  })
}
