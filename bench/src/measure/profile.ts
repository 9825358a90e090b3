// Reads what V8 writes with --cpu-prof and says which functions the CPU time went to. Summing up is pure.
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
  /** Microseconds since the sample before. */
  timeDeltas: z.array(z.number()),
})
export type CpuProfile = z.infer<typeof CpuProfile>

export interface FunctionShare {
  /** `name file:line`, or V8's own word in parentheses. */
  readonly where: string
  /** Own time, without what it called. */
  readonly milliseconds: number
  /** Of all time that was not idle, 0 to 1. */
  readonly share: number
}

const SHOWN = 25

/** The functions with the most own time, most first. */
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

/** The head of every profile in a folder, as text. */
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
