// Package docs holds what a user reads. Its tests check that the pages name
// only what exists.
package docs
