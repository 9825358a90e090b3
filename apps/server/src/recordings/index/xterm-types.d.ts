// Types for add-ons: on a server their terminal is the headless one. The other package's types would add the browser's
// to every file of this program (tsconfig.json maps the name).
export * from '@xterm/headless'
