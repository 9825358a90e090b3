// Replaces the theme's loader of browser-side highlighters: none are needed (generate/highlight-code.ts).
export default function prismIncludeLanguages(): void {}
