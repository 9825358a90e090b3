// Part of `npm run check`: no dependency gets in unnoticed. `deps.allow.json` gives a reason for every package that we
// depend on directly, and lists every package that reaches a running server, a device or a browser.
//   npm run deps:list     brings the lists up to date after `npm run deps`; reasons are written by hand
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './project-node.js'

const file = join(root, 'deps.allow.json')
/** The shipped programs; their own packages are their declared dependencies. */
const PROGRAMS = { server: 'apps/server', agent: 'apps/agent', console: 'apps/console' }

/** @returns {boolean} whether the lockfile only holds allowed packages, and planted ones were found */
export function dependenciesAreAllowed() {
  const { lock, manifest, allowed } = read()
  const missed = plantedAreMissed(lock, manifest, allowed)
  for (const plant of missed) console.log(`the check did not see the planted ${plant}`)
  const problems = findProblems(lock, manifest, allowed)
  for (const problem of problems) console.log(problem)
  return missed.length === 0 && problems.length === 0
}

function read() {
  const json = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'))
  return { lock: json('package-lock.json').packages, manifest: json('package.json'), allowed: json('deps.allow.json') }
}

/**
 * @param lock the `packages` of a lockfile
 * @param manifest package.json of the whole
 * @returns {string[]} a sentence for each problem
 */
function findProblems(lock, manifest, allowed) {
  const problems = []
  const direct = directOf(lock)
  for (const name of direct) if (!allowed.direct[name]) problems.push(`${name}: deps.allow.json has no reason for it`)
  for (const name of Object.keys(allowed.direct)) {
    if (!direct.includes(name)) problems.push(`${name}: nobody depends on it any more; remove it from deps.allow.json`)
  }
  for (const program of Object.keys(PROGRAMS)) {
    const packages = runtimeOf(lock, program)
    const listed = allowed.runtime[program] ?? []
    for (const name of packages) if (!listed.includes(name)) problems.push(`${name}: new in the ${program}`)
    for (const name of listed) if (!packages.includes(name)) problems.push(`${name}: not in the ${program} any more`)
  }
  for (const [path, entry] of Object.entries(lock)) {
    const name = nameOf(path)
    if (!path.includes('node_modules/') || entry.link) continue
    if (!entry.integrity) problems.push(`${name}: the lockfile has no hash of it`)
    if (entry.resolved) problems.push(`${name}: comes from ${entry.resolved}, not from a registry`)
    if (entry.hasInstallScript && manifest.allowScripts[name] === undefined) {
      problems.push(`${name}: has an install script that allowScripts of package.json does not decide on`)
    }
  }
  return problems
}

/** Names of direct dependencies in our own package.json files. */
function directOf(lock) {
  const ours = Object.entries(lock).filter(([path]) => !path.includes('node_modules/'))
  const names = ours.flatMap(([, entry]) => [
    ...Object.keys(entry.dependencies ?? {}),
    ...Object.keys(entry.devDependencies ?? {}),
    ...Object.keys(entry.optionalDependencies ?? {}),
  ])
  return [...new Set(names)].filter((name) => !name.startsWith('@bowline/')).toSorted(byName)
}

/** Names of all packages that a program can load, on any platform. */
function runtimeOf(lock, program) {
  const seen = new Set()
  const open = [PROGRAMS[program]]
  while (open.length) {
    const path = open.pop()
    if (seen.has(path)) continue
    seen.add(path)
    const { dependencies, optionalDependencies } = lock[path]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = find(lock, path, name)
      if (found) open.push(found)
    }
  }
  return [...new Set([...seen].filter((path) => path.includes('node_modules/')).map(nameOf))].toSorted(byName)
}

/** Resolves a package from another one like Node does. */
function find(lock, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (lock[path]) return lock[path].link ? lock[path].resolved : path
    if (at === '') return undefined
    if (!at.includes('/node_modules/')) at = ''
  }
}

function byName(a, b) {
  return a < b ? -1 : 1
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** Plants one package of each kind that must be reported. @returns {string[]} those that were not */
function plantedAreMissed(lock, manifest, allowed) {
  const plants = {
    'planted-direct': (planted) => {
      planted['apps/docs'] = { ...planted['apps/docs'], devDependencies: { 'planted-direct': '1.0.0' } }
    },
    'planted-runtime': (planted) => {
      const path = 'node_modules/fastify'
      const dependencies = { ...planted[path].dependencies, 'planted-runtime': '1.0.0' }
      planted[path] = { ...planted[path], dependencies }
      planted['node_modules/planted-runtime'] = { version: '1.0.0', integrity: 'sha512-x' }
    },
    'planted-script': (planted) => {
      planted['node_modules/planted-script'] = { integrity: 'sha512-x', hasInstallScript: true }
    },
    'planted-source': (planted) => {
      planted['node_modules/planted-source'] = { integrity: 'sha512-x', resolved: 'git+ssh://example.com/x.git' }
    },
    'planted-hashless': (planted) => {
      planted['node_modules/planted-hashless'] = { version: '1.0.0' }
    },
  }
  return Object.entries(plants).flatMap(([name, plant]) => {
    const planted = { ...lock }
    plant(planted)
    return findProblems(planted, manifest, allowed).some((problem) => problem.startsWith(`${name}: `)) ? [] : [name]
  })
}

/** Writes the lists; a new direct dependency gets an empty reason, which the check rejects. */
function update() {
  const { lock, allowed } = read()
  const direct = Object.fromEntries(directOf(lock).map((name) => [name, allowed.direct[name] ?? '']))
  const runtime = Object.fromEntries(Object.keys(PROGRAMS).map((program) => [program, runtimeOf(lock, program)]))
  writeFileSync(file, `${JSON.stringify({ direct, runtime }, undefined, 2)}\n`)
  for (const [program, names] of Object.entries(runtime)) console.log(`${program}: ${names.length} packages`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) update()
