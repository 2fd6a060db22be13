package tools

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// C9: what hides a command from whoever looks at the first word does not hide
// it here; and what only looks dangerous is left to an approver.
func TestCatastrophic(t *testing.T) {
	for _, line := range []string{
		"rm -rf /", "rm -fr /", "rm -r -f /", "rm --recursive --force /", "rm --rec /", "rm -Rf /*", "rm -rf //", "rm -rf /.", "rm -rf /tmp/..", "rm -rf /usr/",
		"rm -rf ~", "rm -rf ~/", "rm -rf ~/*", "rm -rf $HOME", `rm -rf "$HOME"`, "rm -rf ${HOME}/*", "rm -rf ..", "rm -rf ../..", "rm -rf ../*", "rm -rf /etc x",
		"rm --no-preserve-root x", "rm -rf x /", "/bin/rm -rf /", `\rm -rf /`, "r''m -rf /", `"rm" -rf "/"`, "rm -r\\f /", "rm -rf '/'", "rm\t-rf\t/",
		// behind another first word
		"env rm -rf /", "env -i A=b rm -rf /", "A=b rm -rf /", "sudo rm -rf /", "sudo -u root rm -rf /", "nohup nice -n 5 rm -rf / &", "timeout 5 rm -rf /",
		"command rm -rf /", "busybox rm -rf /", "echo / | xargs rm -rf /", "time rm -rf /", "exec rm -rf /", "! rm -rf /", "{ rm -rf /; }", "(rm -rf /)", "((rm -rf /))",
		"sh -c 'rm -rf /'", `bash -c "rm -rf /"`, "/bin/sh -ec 'cd x; rm -rf /'", "env sh -c 'rm -rf /'", "su root -c 'rm -rf /'", "sh -c reboot", `sh -c "sh -c 'rm -rf /'"`,
		"eval rm -rf /", "eval 'rm -rf' /", `eval "rm -rf /"`, "env -S 'rm -rf /'", "trap 'rm -rf /' EXIT",
		// behind another command
		"x && rm -rf /", "x||rm -rf /", "x;rm -rf /", "x & rm -rf /", "x | rm -rf /", "x\nrm -rf /", "if true; then rm -rf /; fi", "while :; do rm -rf /; done",
		"echo $(rm -rf /)", "echo `rm -rf /`", `echo "$(rm -rf /)"`, "echo `echo \\`rm -rf /\\``", "cat <(rm -rf /)", "echo ${x:-$(rm -rf /)}", "$(rm -rf /)", "f() { rm -rf /; }; f",
		"bash <<E\nrm -rf /\nE", "echo x > y; rm -rf /", "rm -rf / # not a comment before", "rm -rf / 2>/dev/null", "2>/dev/null rm -rf /", "rm >x -rf /",
		// a first word that is not known
		"$RM -rf /", "$(echo rm) -rf /", "`echo rm` -rf /", "${x}m -rf /",
		// unbalanced
		"rm -rf / '", `rm -rf / "`, "rm -rf / $(", "rm -rf / `", `echo "; rm -rf /`, "sh -c 'rm -rf /", "(rm -rf /",
		// others
		"dd if=/dev/zero of=/dev/sda", "cat x > /dev/sda", "cat x >> /dev/nvme0n1", "cat x >| /dev/sda", "> /dev/sda", "tee /dev/sda < x", "cp x /dev/vda", "shred /dev/sda1", "mkfs.ext4 /dev/sda1", "mkfs -t ext4 /dev/sda1", "wipefs -a /dev/sdb",
		"chmod -R 777 /", "chmod -R 000 /usr", "chown -R me:me /", "chown --recursive me /etc", "mv / /x", "mv ~ x", "mv /* x", "find / -delete", "find / -exec rm {} +", "find ~ -name x -delete",
		":(){ :|:& };:", ":() { : | : & } ; :", "shutdown -h now", "sudo reboot", "halt", "poweroff", "init 0", "systemctl poweroff", "kill -9 -1", "kill -KILL -1",
	} {
		if !catastrophic(line) {
			t.Errorf("not seen: %q", line)
		}
	}
	for _, line := range []string{
		"", " ", "#", "ls", "rm x", "rm -f x", "rm -rf build", "rm -rf ./build/*", "rm -rf .", "rm -rf *", "rm -rf ./..x", "rm -rf /tmp/x", "rm -rf ~/x", "rm -rf $HOME/x", "rm -rf $HOMEX", "rm -rf /home/me/x", "rm /", "rm -- -rf",
		"echo rm -rf /", "echo 'rm -rf /'", "grep 'rm -rf /' x", "echo \"rm -rf /\" > notes.txt", "# rm -rf /", "ls # rm -rf /", "git commit -m 'no rm -rf /'", "printf '%s' '$(rm -rf /)'",
		"env A=b make", "sudo make install", "sh build.sh /", "sh -c 'ls /'", "eval ls /", "timeout 5 ls /", "xargs rm -f",
		"dd if=x of=y", "dd if=/dev/sda of=/dev/null", "echo x > /dev/null", "echo x 2>&1", "cat /dev/sda | head", "chmod -R 755 .", "chmod 755 /", "chown me /", "mv x ~", "mv x /tmp", "find . -delete", "find / -name x",
		"kill -1 1234", "kill -9 1234", "kill -1", "init", "mkfs.ext4 disk.img", "systemctl status x", "./shutdown.sh", "cat 'x", "$X -r y", "case x in rm) ;; esac", "x=$((1+2)); echo $x",
	} {
		if catastrophic(line) {
			t.Errorf("seen where there is nothing: %q", line)
		}
	}
}

func TestShellCommands(t *testing.T) {
	for line, want := range map[string]string{
		"a b":                      "[a b]",
		"a 'b c' \"d e\"f\\ g":     "[a|b c|d ef g]",
		"a;b&&c||d|e&f\ng":         "[a][b][c][d][e][f][g]",
		"a \\\nb":                  "[a b]",
		"A=1 a '' \"\"":            "[A=1|a||]",
		"a >x 2>y >>z <w b":        "[a w b >x >y >z]",
		"a >& 2":                   "[a >2]",
		"a &>x":                    "[a][>x]",
		"a$(b c)d":                 "[b c][ad*]",
		"a `b c`":                  "[b c][a *]",
		"a \"x $(b) y\"":           "[b][a|x  y*]",
		"(a; b) c":                 "[a][b][c]",
		"{ a; }":                   "[a]",
		"a $x '$y' \\$z":           "[a $x* $y $z]",
		"a #b\nc#d":                "[a][c#d]",
		"a 'b":                     "?",
		"a; b \"c":                 "[a]?",
		"a $(b":                    "[b]?",
		"a `b":                     "?",
		"(a":                       "[a]?",
		"a)":                       "[a]",
		"a \\":                     "[a|]",
		strings.Repeat("(", 60):    "?",
		"a <(b) >(c)":              "[b][c][a * *]",
		"if a; then b; else c; fi": "[a][b][c]",
	} {
		cmds, whole := shellCommands(line)
		var b strings.Builder
		for _, c := range cmds {
			var parts []string
			wide := false
			for _, w := range c.words {
				s := w.text
				wide = wide || s == "" && !w.dynamic || strings.Contains(s, " ")
				if w.dynamic {
					s += "*"
				}
				parts = append(parts, s)
			}
			for _, to := range c.to {
				parts = append(parts, ">"+to)
			}
			sep := " "
			if wide {
				sep = "|"
			}
			fmt.Fprintf(&b, "[%s]", strings.Join(parts, sep))
		}
		if !whole {
			b.WriteByte('?')
		}
		if got := b.String(); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

// Nothing that a model may write takes the reader down, or keeps it busy for
// longer than a test may take.
func TestCatastrophicIsBounded(t *testing.T) {
	for _, line := range []string{
		strings.Repeat("env ", 5_000), strings.Repeat("eval ", 5_000), strings.Repeat("sh ", 5_000) + "x", strings.Repeat("env sh eval ", 2_000) + "'a b'",
		strings.Repeat("$(", 5_000), strings.Repeat("`", 5_001), strings.Repeat("(", 5_000), strings.Repeat("'", 5_001), strings.Repeat("rm ", 5_000), strings.Repeat(`"$(`, 5_000),
		"env " + strings.Repeat("rm -r x ", 5_000), strings.Repeat("\\", 5_001), strings.Repeat("sudo sh -c 'a b';", 2_000),
	} {
		catastrophic(line)
	}
	rapid.Check(t, func(t *rapid.T) { catastrophic(rapid.String().Draw(t, "line")) })
}
