import '../gateway/planted.ts'
