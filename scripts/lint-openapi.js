// Part of `npm run check`: lints the written OpenAPI documents by the rules of redocly.yaml. First a document with a
// planted error, to detect a linter that reads nothing.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectNode } from './project-node.js'

const folder = 'packages/contract/openapi'

/** @returns {boolean} whether both documents are clean and the planted error was found */
export function openApiIsClean() {
  return (
    seesPlantedError() && lint([join(folder, 'community.json'), join(folder, 'cloud.json')], 'inherit').status === 0
  )
}

/** An example that violates its schema. */
function seesPlantedError() {
  const document = JSON.parse(readFileSync(join(folder, 'community.json'), 'utf8'))
  document.paths['/api/stats'].get.responses['200'].content['application/json'].example = { online_devices: 'many' }
  const scratch = mkdtempSync(join(tmpdir(), 'bowline-lint-'))
  try {
    const file = join(scratch, 'planted.json')
    writeFileSync(file, JSON.stringify(document))
    const { status, stdout, stderr } = lint([file], 'pipe')
    const found = status === 1 && `${stdout}${stderr}`.includes('no-invalid-media-type-examples')
    if (!found) console.log(`the linter did not report the planted error:\n${stdout}${stderr}`)
    return found
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

function lint(files, stdio) {
  const command = ['scripts/run.js', 'redocly', 'lint', '--config', 'redocly.yaml', '--max-problems', '20', ...files]
  // Otherwise it checks the network for newer versions of itself.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return spawnSync(projectNode(), command, { stdio, encoding: 'utf8', env })
}
