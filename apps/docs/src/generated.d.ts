// Types of the files that generate/main.ts writes before a build.
declare module '@site/.generated/settings.json' {
  const settings: import('../generate/settings.ts').DocumentedSettings
  export default settings
}
