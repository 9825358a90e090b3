// Mail of the instance, for its administrators.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { Page } from '../schemas/common.ts'
import {
  MailId,
  MailPreview,
  MailSettings,
  MailState,
  MailTestAnswer,
  MailTestBody,
  OutboxMail,
} from '../schemas/mail.ts'

const access = { kind: 'instance-admin' } as const

export const mails = {
  list: operation({
    method: 'GET',
    path: '/api/mails',
    noun: 'mails',
    summary: 'Mails of the last 30 days, the newest first; those that failed with `state=failed`',
    access,
    query: Page.extend({ state: MailState.optional() }),
    response: z.array(OutboxMail),
    total: true,
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
  resend: operation({
    method: 'POST',
    path: '/api/mails/{id}/resend',
    noun: 'mails',
    summary: 'Send a mail that failed once more',
    access,
    params: z.object({ id: MailId }),
    errors: ['NOT_FOUND'],
  }),
  link: operation({
    method: 'POST',
    path: '/api/mails/{id}/link',
    noun: 'mails',
    summary: 'The link of a mail that is not sent, as no mail server is set; whoever opens it acts for its recipient',
    access,
    params: z.object({ id: MailId }),
    response: z.object({ link: z.string() }),
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  settings: operation({
    method: 'GET',
    path: '/api/mails/settings',
    noun: 'mails',
    summary: 'Settings of mail in effect, without secrets',
    access,
    response: MailSettings,
  }),
  test: operation({
    method: 'POST',
    path: '/api/mails/test',
    noun: 'mails',
    summary: 'Send a test mail, with the settings in effect or with values that are not saved',
    access,
    body: MailTestBody,
    bodyBytes: 131_072,
    response: MailTestAnswer,
    errors: ['FRESH_PROOF_REQUIRED', 'TOO_MANY_REQUESTS'],
  }),
  templates: operation({
    method: 'GET',
    path: '/api/mails/templates',
    noun: 'mails',
    summary: 'Every mail that the server sends, with example values',
    access,
    response: z.array(MailPreview),
  }),
}
