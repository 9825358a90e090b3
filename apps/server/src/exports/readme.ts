// The text that explains an archive to whoever opens it.

export const README = `# Export of a namespace

Everything that Bowline has about one namespace, as files.

| File | Content |
| --- | --- |
| \`namespace.json\` | name, settings, the announcement at logins, and the members with their addresses |
| \`tables/<table>.<part>.jsonl\` | the rows: one JSON object a line, in parts of some megabytes; \`cat tables/sessions.*.jsonl\` joins them |
| \`recordings/<id>.cast\` | the recordings (asciicast version 3, signed); \`tables/recordings.*.jsonl\` says of which session and seat each one is |
| \`recording-keys.json\` | public keys that the recordings are signed with |
| \`tables/recording_ledger.*.jsonl\` | the signed chain of what recordings began, ended and were deleted |
| \`recordings-left-out.jsonl\` | recordings that could not be read, with the reason; empty if there are none |
| \`billing/invoices.json\` | the list of invoices, where the namespace pays for a subscription |
| \`manifest.json\` | when and by which version this was written, numbers of rows, and what was left out on purpose |
| \`SHA256SUMS\` | a hash of each file |

Tags are in the column \`tags\` of devices, public keys and firewall rules.

All rows are from one moment. Recordings are as they were when they were added to the archive.

## Check it

\`\`\`sh
sha256sum --check --quiet SHA256SUMS
bowline recordings verify recordings/<id>.cast --key recording-keys.json
\`\`\`

The second command needs no server. Keep a copy of \`recording-keys.json\` that you have fetched from the server itself: a key
that comes with the recording proves nothing against whoever made both.

## Left out

Secrets: API keys and their hashes, passwords of tunnels, private keys of connectors and of logins, tokens of provisioning.
Whoever needs them sets new ones. \`manifest.json\` names every table and column that is not here.
`
