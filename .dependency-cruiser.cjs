// Who may import whom, and why. `npm run check` runs this after a planted violation has proved that the checker sees
// (scripts/check.js): a rule that silently matches nothing protects nothing.
const ours = '^(packages|apps)/'

/** Folders of the console, uppermost first: each may import those after it. */
const CONSOLE_LAYERS = ['shell', 'features', 'core', 'ui', 'live', 'auth', 'platform']

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'pure-packages',
      comment: 'The codecs and transports stay usable and testable alone; only link and asciicast share the contract.',
      severity: 'error',
      from: { path: '^packages/(contract|ssh|sftp|link|engine|yamux|asciicast|browser)/src' },
      to: { path: ours, pathNot: '^packages/($1|base)/' },
    },
    {
      name: 'apps-stand-alone',
      comment: 'Apps are released apart; what two of them need belongs into a package.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'packages-below-apps',
      comment: 'Packages are the lower level.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/testkit/' },
      to: { path: '^apps/' },
    },
    {
      name: 'console-knows-the-contract-only',
      comment:
        'The browser sees the server through the contract; ssh/keys and ssh/wire read private keys there, sftp speaks with devices.',
      severity: 'error',
      from: { path: '^apps/(console|docs)/' },
      to: {
        path: '^packages/',
        pathNot: '^packages/(base|contract|asciicast|browser|sftp)/|^packages/ssh/src/(keys|wire)',
      },
    },
    ...CONSOLE_LAYERS.slice(1).map((layer, index) => ({
      name: `console-${layer}-below`,
      comment: `The console's folders depend on each other in one direction: ${CONSOLE_LAYERS.join(' → ')}.`,
      severity: 'error',
      from: { path: `^apps/console/src/${layer}/` },
      to: { path: `^apps/console/src/(${CONSOLE_LAYERS.slice(0, index + 1).join('|')})/` },
    })),
    {
      name: 'agent-is-small',
      comment: 'Everything the agent imports runs as root on devices.',
      severity: 'error',
      from: { path: '^apps/agent/src' },
      to: { path: '^packages/', pathNot: '^packages/(base|link|sftp|contract)/' },
    },
    {
      name: 'stores-are-private',
      comment: "A noun's SQL is its own business; other nouns call its service, where the rules are.",
      severity: 'error',
      from: { path: '^apps/server/src/([^/]+)/' },
      to: { path: '^apps/server/src/[^/]+/(presence-)?store[.]ts$', pathNot: '^apps/server/src/$1/' },
    },
    {
      name: 'gateway-below-http',
      comment: 'The data plane must not depend on the API, not even through a noun.',
      severity: 'error',
      from: { path: '^apps/server/src/gateway/' },
      to: { path: '^apps/server/src/http/|/routes[.]ts$', reachable: true },
    },
    {
      name: 'nouns-below-gateway',
      comment: 'Nouns are asked by the gateway, never the other way round.',
      severity: 'error',
      from: {
        path: '^apps/server/src/([^/]+)/',
        pathNot: '^apps/server/src/(gateway|cli|compose|jobs|testing)/',
      },
      to: { path: '^apps/server/src/gateway/' },
    },
    {
      name: 'loaded-when-used',
      comment: 'Only servers with an S3 store, or a collector of traces, pay for the SDK.',
      severity: 'error',
      from: {},
      to: { path: '@aws-sdk/|@opentelemetry/(?!api/)', dynamic: false },
    },
    {
      name: 'no-cycles',
      comment: 'A cycle is two files pretending to be one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment:
        'An import that does not resolve hides from every rule above. (Docusaurus has a package of types only, and names that its bundler knows; so is ?url, the address of a file.)',
      severity: 'error',
      from: {},
      to: {
        couldNotResolve: true,
        pathNot:
          '[?]url$|^@docusaurus/(types|router|Link|use[A-Z][A-Za-z]+)$|^@(theme|theme-original|generated|site/[.]generated)/',
      },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // Tests may reach anywhere, and the parser's visitor does not know `using`, which they use.
    exclude: {
      path: '(^|/)(dist|build|[.]docusaurus[^/]*|[.]cache)/|[.]test[.]tsx?$|/testing[./]|^packages/[^/]+/test/',
    },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json', '.css', '.svg'],
    },
  },
}
