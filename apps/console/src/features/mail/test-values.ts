// Fields of the form for a test mail, and what is sent of them.
import { MailTestBody } from '@bowline/contract/schemas/mail'
import { z } from 'zod'

const { to, url, from, starttls, name, ca } = MailTestBody.shape
/** An empty field leaves the value out. */
const orEmpty = <T extends z.ZodType<string | undefined, string | undefined>>(schema: T) =>
  z
    .string()
    .transform((text) => (text === '' ? undefined : text))
    .pipe(schema)

export const TestWithSettings = z.object({ to })
export const TestWithOthers = z.object({
  to,
  url: url.unwrap(),
  from: from.unwrap(),
  starttls: starttls.unwrap(),
  name: orEmpty(name),
  ca: orEmpty(ca),
})

/** The body of the call: fields that were left empty are left out. */
export function testBody(values: z.output<typeof TestWithOthers>): z.input<typeof MailTestBody> {
  const { to: recipient, url: server, from: sender, starttls: mode, ...optional } = values
  return {
    to: recipient,
    url: server,
    from: sender,
    starttls: mode,
    ...(optional.name === undefined ? {} : { name: optional.name }),
    ...(optional.ca === undefined ? {} : { ca: optional.ca }),
  }
}
