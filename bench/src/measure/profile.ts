// Summarises V8's --cpu-prof output: which functions used the CPU time. The summary is pure.
import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'

const CpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
    }),
  ),
  samples: z.array(z.number()),
  /** Microseconds since the previous sample. */
  timeDeltas: z.array(z.number()),
})
export type CpuProfile = z.infer<typeof CpuProfile>

export interface FunctionShare {
  /** `name file:line`, or V8's own name in parentheses. */
  readonly where: string
  /** Own time, without callees. */
  readonly milliseconds: number
  /** Share of all time that was not idle, 0 to 1. */
  readonly share: number
}

const SHOWN = 25

/** The functions with the most own time, descending. */
export function summarise(profile: CpuProfile): FunctionShare[] {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const own = new Map<string, number>()
  let busy = 0
  for (const [index, id] of profile.samples.entries()) {
    const name = names.get(id) ?? '(unknown)'
    if (name === '(idle)') continue
    const milliseconds = (profile.timeDeltas[index] ?? 0) / 1_000
    busy += milliseconds
    own.set(name, (own.get(name) ?? 0) + milliseconds)
  }
  return [...own]
    .map(([where, milliseconds]) => ({ where, milliseconds, share: busy > 0 ? milliseconds / busy : 0 }))
    .sort((a, b) => b.milliseconds - a.milliseconds)
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName || '(anonymous)'
  return `${functionName || '(anonymous)'} ${shortPath(url)}:${lineNumber + 1}`
}

function shortPath(url: string): string {
  const path = url.replace(/^file:\/\//, '')
  return /(?:packages|apps|node_modules)\/.*/.exec(path)?.[0] ?? path
}

/** The top of every profile in a folder, as text. */
export async function topOfProfiles(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))
  const texts = await Promise.all(
    files.map(async (file) => {
      const profile = CpuProfile.parse(JSON.parse(await readFile(join(folder, file), 'utf8')))
      const lines = summarise(profile)
        .slice(0, SHOWN)
        .map(({ where, milliseconds, share }) => {
          const percent = `${(share * 100).toFixed(1)} %`.padStart(7)
          return `${percent} ${milliseconds.toFixed(0).padStart(7)} ms  ${where}`
        })
      return `Own time in ${basename(file)}:\n${lines.join('\n')}\n`
    }),
  )
  return texts.join('\n')
}

if (import.meta.main) console.log(await topOfProfiles(process.argv[2] ?? '.'))
