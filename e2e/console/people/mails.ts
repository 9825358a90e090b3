// Rows of a running server: links of the mails that it has written, and the age of sign-ins.
import { onInstance } from '../../../apps/server/src/cli/instance.ts'
import { sealName } from '../../../apps/server/src/mails/queue.ts'
import { until } from '../../support/wait.ts'

/**
 * Path and query of the link in the newest mail of a kind to an address, once it is there.
 * @param dataFolder of the server, with its embedded database and key
 */
export async function linkTo(dataFolder: string, address: string, kind: string): Promise<string> {
  let link = ''
  await until(`a mail of the kind ${kind} to ${address}`, async () => {
    link = await readLink(dataFolder, address, kind)
    return link !== ''
  })
  return link
}

/** Makes every sign-in an hour old, and its last proof. */
export async function ageSignIns(dataFolder: string): Promise<void> {
  const at = new Date(Date.now() - 3_600_000)
  await onInstance(terminalOf(dataFolder), ({ system }) =>
    system.updateTable('sign_ins').set({ created_at: at, proven_at: at }).execute(),
  )
}

const terminalOf = (dataFolder: string) => ({
  env: { BOWLINE_DATA_DIR: dataFolder },
  read: () => Promise.resolve(''),
  print: () => undefined,
  complain: () => undefined,
})

function readLink(dataFolder: string, address: string, kind: string): Promise<string> {
  return onInstance(terminalOf(dataFolder), async (instance) => {
    const mails = await instance.system
      .selectFrom('mails')
      .select(['id', 'kind', 'sealed'])
      .where('recipient', '=', address)
      .orderBy('created_at', 'desc')
      .execute()
    const mail = mails.find((one) => one.kind === kind)
    if (!mail?.sealed) return ''
    const { link } = JSON.parse((await instance.secretKey()).open(sealName(mail.id), mail.sealed).toString()) as {
      link: string
    }
    const { pathname, search } = new URL(link)
    return pathname + search
  })
}
