// What SSH servers of devices without an agent trust, so that people get in by their registered keys.
import * as z from 'zod'

/** Lines for one kind of SSH server. */
const ServerLines = z.object({
  /** Line with the public key: type, base64, comment. */
  public_key: z.string(),
  /** As printed by `ssh-keygen -l`. */
  fingerprint: z.string(),
  /** Path of the file that holds the line. */
  file: z.string(),
  /** What writes it, as root. */
  commands: z.array(z.string()),
})

export const UserAuthority = z
  .object({
    /** For OpenSSH: the authority that certifies people for one login. */
    openssh: ServerLines.extend({
      /** Line of `sshd_config`. */
      sshd_config: z.string(),
    }),
    /** For servers without certificates, such as Dropbear: a key of this server for one account. */
    dropbear: ServerLines,
  })
  .meta({ id: 'UserAuthority' })
export type UserAuthority = z.infer<typeof UserAuthority>
