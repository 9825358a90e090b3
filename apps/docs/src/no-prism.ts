// Replaces the theme's syntax highlighters: code is highlighted at build time (generate/highlight-code.ts).
export const Prism = {}
