// For the types of add-ons: on a server their terminal is the headless one. The other's types would bring the browser's
// into every file of this program (tsconfig.json maps the name).
export * from '@xterm/headless'
