// `bowline recordings …`: verification of recordings, heads of their ledgers, and rotation of the signing key.
import { open, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createLineSplitter } from '@bowline/asciicast/lines'
import { recordingNamedBy } from '@bowline/asciicast/recording-id'
import { type Verdict, createVerifier } from '@bowline/asciicast/verify'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { systemClock } from '@bowline/base/clock'
import { createLog } from '../platform/log.ts'
import { nodeName } from '../platform/node-name.ts'
import { createS3Client } from '../platform/s3/client.ts'
import { readStoreSettings } from '../platform/s3/settings.ts'
import { recordingsFolder } from '../recordings/folder.ts'
import { type Head, emptyHead } from '../recordings/ledger/entry.ts'
import { readHead, readHeads } from '../recordings/ledger/heads.ts'
import { type RecordingReport, reportNamespace } from '../recordings/ledger/report.ts'
import { pieces, readVerdict } from '../recordings/file/reading.ts'
import { type PublicKey, isOfItsTime, readPublicKeys } from '../recordings/keys/public-keys.ts'
import { rotateRecordingKey } from '../recordings/keys/rotation.ts'
import { createObjects } from '../recordings/offload/objects.ts'
import { isSignedBy } from '../recordings/recording-key.ts'
import { type Recordings, createRecordings } from '../recordings/recordings.ts'
import { type Instance, onInstance } from './instance.ts'
import { type Format, type Terminal, show, table } from './terminal.ts'

interface VerifyOptions extends Format {
  readonly key?: string
  readonly namespace?: string
  readonly head?: string
}

export function addRecordingCommands(program: Command, terminal: Terminal): void {
  const recordings = program.command('recordings').description('Whether recordings are as they were written')

  recordings
    .command('verify [file]')
    .description('Verify one downloaded recording with a public key, or all of this server with their ledgers')
    .option(
      '--key <file>',
      'public key of the server that recorded the file: PEM, JWK, a line of OpenSSH, or the JSON of all its keys',
    )
    .option('--namespace <name>', 'only the recordings of this namespace')
    .option('--head <sequence:hash>', 'a head of the ledger of --namespace that was kept elsewhere')
    .option('--json', 'print JSON')
    .action((file: string | undefined, options: VerifyOptions) =>
      file === undefined ? verifyAll(terminal, options) : verifyFile(terminal, file, options),
    )

  recordings
    .command('rotate-key')
    .description('Replace the key that signs recordings; what the old one has signed can still be verified')
    .option('--json', 'print JSON')
    .action((options: Format) =>
      onInstance(terminal, async (instance) => {
        const rotation = await rotateRecordingKey(instance.system, await instance.secretKey(), systemClock)
        const { from, to, ledgers } = rotation
        show(terminal, options, rotation, [
          `Recordings are signed with the key ${to} from now on; ${ledgers} ledgers name it.`,
          `The key ${from} signs nothing more. Its public half stays published; keep a copy on another machine.`,
        ])
      }),
    )

  recordings
    .command('head')
    .description('Print where the ledgers of recordings end: keep it on another machine')
    .option('--namespace <name>', 'only of this namespace')
    .option('--json', 'print JSON')
    .action((options: Format & { readonly namespace?: string }) =>
      onInstance(terminal, async (instance) => {
        const heads = options.namespace
          ? [await headOf(instance, await instance.tenantOf(options.namespace))]
          : (await readHeads(instance.system)).map(({ tenant_id, sequence, hash }) => ({ tenant_id, sequence, hash }))
        const rows = heads.map(({ tenant_id, sequence, hash }) => [tenant_id, `${sequence}:${hash}`])
        show(terminal, options, heads, table(['TENANT', 'HEAD'], rows))
      }),
    )
}

/** The recordings of this machine and of the store in the settings. */
export async function recordingsOf(instance: Instance): Promise<{ recordings: Recordings; node: string }> {
  const { settings } = instance
  const store = await readStoreSettings(settings)
  const dataFolder = resolve(settings.BOWLINE_DATA_DIR)
  const node = await nodeName(dataFolder)
  const recordings = await createRecordings({
    folder: recordingsFolder(settings, dataFolder),
    node,
    log: createLog('fatal', 2),
    clock: systemClock,
    key: await instance.recordingKeys(),
    ...(store && { objects: createObjects(await createS3Client(store, new AbortController().signal)) }),
    sealed: () => undefined,
  })
  return { recordings, node }
}

async function headOf({ system }: Instance, tenant: TenantId): Promise<Head & { readonly tenant_id: TenantId }> {
  return { tenant_id: tenant, ...((await readHead(system, tenant)) ?? emptyHead(tenant)) }
}

/** Works without a server or its database. */
async function verifyFile(terminal: Terminal, path: string, options: VerifyOptions): Promise<void> {
  if (options.key === undefined) throw new Error('--key is needed: GET /api/recordings/key of the server has it.')
  const keys = readPublicKeys(await readFile(options.key, 'utf8'))
  const file = await open(path)
  try {
    await showVerdict(terminal, file, keys, options)
  } finally {
    await file.close()
  }
}

async function showVerdict(
  terminal: Terminal,
  file: Awaited<ReturnType<typeof open>>,
  keys: readonly PublicKey[],
  options: VerifyOptions,
): Promise<void> {
  const recording = await findName(file)
  if (recording === undefined) throw new Error('The file has no seal and no identity: it is no whole recording.')
  const isSigned = (text: string, signature: string): boolean =>
    keys.some(({ key }) => isSignedBy(key, text, signature))
  const verdict = await readVerdict(file, createVerifier(recording, isSigned))
  const identity = verdict.result === 'tampered' ? undefined : verdict.identity?.identity
  show(terminal, options, { recording, ...verdict, identity: identity ?? null }, [
    sentenceOf(verdict),
    ...Object.entries(identity ?? {}).map(([name, value]) => `  ${name}: ${value}`),
  ])
  if (verdict.result !== 'intact') throw new Error('The recording is not as it was written.')
  if (identity && !isOfItsTime(keys, identity)) throw new Error('Its key did not sign when the recording began.')
}

async function findName(file: Parameters<typeof pieces>[0]): Promise<string | undefined> {
  const splitter = createLineSplitter()
  let name: string | undefined
  for await (const piece of pieces(file)) {
    for (const line of splitter.push(piece)) name ??= recordingNamedBy(Buffer.from(line).toString())
    if (name !== undefined) return name
  }
  return undefined
}

function sentenceOf(verdict: Verdict): string {
  if (verdict.result === 'tampered') return `Chunk ${verdict.chunk}: ${verdict.rule}.`
  if (verdict.result === 'unsealed') return `Chunk ${verdict.state.chunks}: there is no seal.`
  const { state, chunks } = verdict.seal
  const without = verdict.identity ? '' : ' It was sealed without identity.'
  return `As it was written: ${chunks} chunks, ${state}.${without}`
}

async function verifyAll(terminal: Terminal, options: VerifyOptions): Promise<void> {
  const posted = options.head === undefined ? undefined : parseHead(options.head)
  if (posted && options.namespace === undefined) throw new Error('--head needs --namespace.')
  await onInstance(terminal, async (instance) => {
    const { system } = instance
    const { recordings, node } = await recordingsOf(instance)
    const tenants = options.namespace
      ? [await instance.tenantOf(options.namespace)]
      : (await readHeads(system)).map(({ tenant_id }) => tenant_id)
    const reports: RecordingReport[] = []
    for (const tenant of tenants) {
      reports.push(await reportNamespace(instance.contextOf(tenant), system, recordings, node, posted))
    }
    show(terminal, options, reports, reports.flatMap(linesOf))
    if (reports.some(({ problems, bad }) => problems.length + bad.length > 0)) {
      throw new Error('Recordings or their ledger are not as they were written.')
    }
  })
}

function linesOf({ tenant, head, good, elsewhere, problems, bad }: RecordingReport): string[] {
  const others = elsewhere === 0 ? '' : `, ${elsewhere} on other nodes not looked at`
  return [
    `${tenant}: ${good} as they were written, ${bad.length} not${others}; head ${head.sequence}:${head.hash}`,
    ...problems.map(({ entry, message }) => `  ledger entry ${entry}: ${message}`),
    ...bad.map(({ session, seat, result, message }) => `  session ${session} seat ${seat}: ${result}. ${message}`),
  ]
}

function parseHead(text: string): Head {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (sequence === undefined || hash === undefined) throw new Error('--head is not sequence:hash.')
  return { sequence: Number(sequence), hash }
}
