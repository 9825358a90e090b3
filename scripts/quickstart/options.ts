// Command line of `npm start`.
import { parseArgs } from 'node:util'

export interface Options {
  /** Prints the summary as one line of JSON. */
  readonly json: boolean
  /** Runs an agent even where other machines can reach the server. */
  readonly agent: boolean
}

const USAGE = `usage: npm start -- [--json] [--agent]

  --json   print how to sign in as one line of JSON
  --agent  run an agent for this machine, even where other machines can reach the server

Settings are environment variables, such as BOWLINE_HTTP_PORT, BOWLINE_SSH_PORT and BOWLINE_DATA_DIR.`

/** Reads the arguments of this process; prints the usage and exits with 2 when they are wrong, with 0 for `--help`. */
export function optionsOf(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        json: { type: 'boolean', default: false },
        agent: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (!values.help) return values
    process.stdout.write(`${USAGE}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`)
    process.exit(2)
  }
}
