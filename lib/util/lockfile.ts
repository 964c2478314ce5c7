// A file of its own, to be imported lazily: a bundle gives a CommonJS package imported lazily only its default
// export, so the names are picked here.
export { lock } from 'proper-lockfile';
