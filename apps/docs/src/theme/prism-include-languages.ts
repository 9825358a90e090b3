// The theme's way to have parsers in the browser: none are needed there (generate/highlight-code.ts).
export default function prismIncludeLanguages(): void {}
