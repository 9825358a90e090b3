// The text that explains the archive of an account to whoever opens it.

export const ACCOUNT_README = `# Your personal data

Everything that this Bowline server has about you and your account, as files. The rows are one JSON object a line.

| File | Content |
| --- | --- |
| \`tables/users.*.jsonl\` | your account: names, addresses, how you sign in, settings |
| \`tables/members.*.jsonl\` | namespaces that you are a member of or invited to, with your role |
| \`tables/public_keys.*.jsonl\`, \`api_keys\`, \`install_keys\`, \`scim_tokens\` | keys that are yours or that you have made, without their secrets; SSH keys also of namespaces that you have left |
| \`tables/passkeys.*.jsonl\`, \`authenticators\`, \`identities\` | your ways to sign in beside the password |
| \`tables/sign_ins.*.jsonl\` | browsers and programs that are signed in as you now |
| \`tables/known_devices.*.jsonl\`, \`known_sources\` | when you have signed in from a device, and from which addresses |
| \`tables/account_events.*.jsonl\` | sign-ins, failures and changes of the account of the last year |
| \`tables/audit_log.*.jsonl\` | what you have done in namespaces: when, what, from which address |
| \`tables/sessions.*.jsonl\` | SSH sessions that you began: when, how and by which key, from which address |
| \`tables/scim_people.*.jsonl\`, \`provided_members\` | what identity providers have said about you |
| \`tables/mails.*.jsonl\` | mails to you: which, when, to which address |
| \`tables/announcement_reads.*.jsonl\`, \`saved_views\`, \`device_favorites\`, \`device_jobs\` | what you have read, saved and begun |
| \`manifest.json\` | when and by which version this was written, numbers of rows, and what was left out on purpose |
| \`SHA256SUMS\` | a hash of each file; \`sha256sum --check --quiet SHA256SUMS\` checks them |

All rows are from one moment. Times are in UTC.

## Left out

Secrets: hashes of passwords and keys, codes, links of mails. What belongs to namespaces: devices, recordings, what
happened in SSH sessions, and on whom or what you have acted there. Sessions that began with nothing but a password of the
device name no account. Owners of namespaces export these. \`manifest.json\` names every table and column that is not here.
`
